/**
 * What a shared object of any system says of itself: for which processor it is, what it asks for and what it offers. No tool reads
 * all three formats: ELF (System V ABI), PE (Microsoft's specification) and Mach-O (Apple's loader.h and nlist.h), 64 bits each.
 */
import { Failure } from './failure.mjs';

/**
 * @typedef {object} AddonFormat
 * @property {'ELF' | 'PE' | 'Mach-O'} format
 * @property {'x64' | 'arm64' | 'other'} processor
 * @property {string[]} needed the libraries it asks for
 * @property {string[]} exports the names it offers
 */

/**
 * @param {Buffer} bytes
 * @returns {AddonFormat}
 */
export function addonFormat(bytes) {
  try {
    if (bytes.subarray(0, 4).toString('latin1') === '\x7fELF') return elf(bytes);
    if (bytes.subarray(0, 2).toString('latin1') === 'MZ') return portableExecutable(bytes);
    if (bytes.readUInt32LE(0) === 0xfeedfacf) return machO(bytes);
  } catch (error) {
    if (error instanceof RangeError)
      throw new Failure('The addon ends where its format says that there is more.');
    throw error;
  }
  throw new Failure('The addon is no ELF, PE or Mach-O file of 64 bits.');
}

/** @param {Buffer} bytes @param {number} at */
function textAt(bytes, at) {
  const end = bytes.indexOf(0, at);
  if (at >= bytes.length || end < 0) throw new RangeError('a text without an end');
  return bytes.toString('latin1', at, end);
}

/** @param {Buffer} bytes @param {number} at */
const word64 = (bytes, at) => Number(bytes.readBigUInt64LE(at));

/** @param {Buffer} bytes @returns {AddonFormat} */
function elf(bytes) {
  const [SHT_DYNAMIC, SHT_DYNSYM, DT_NEEDED, SHN_UNDEF] = [6, 11, 1n, 0];
  const [first, size, count] = [word64(bytes, 0x28), bytes.readUInt16LE(0x3a), bytes.readUInt16LE(0x3c)];
  const sections = Array.from({ length: count }, (_, i) => {
    const at = first + i * size;
    const [type, link] = [bytes.readUInt32LE(at + 4), bytes.readUInt32LE(at + 0x28)];
    return { type, link, offset: word64(bytes, at + 0x18), size: word64(bytes, at + 0x20) };
  });
  /** The entries of the sections of a type, with the offset of the texts that they point into. */
  const entries = (/** @type {number} */ type, /** @type {number} */ entrySize) =>
    sections
      .filter((section) => section.type === type)
      .flatMap(({ link, offset, size: length }) =>
        Array.from({ length: Math.floor(length / entrySize) }, (_, i) => ({
          at: offset + i * entrySize,
          texts: sections[link]?.offset ?? bytes.length,
        })),
      );
  return {
    format: 'ELF',
    processor: processorOf(bytes.readUInt16LE(0x12), 62, 183),
    needed: entries(SHT_DYNAMIC, 16)
      .filter(({ at }) => bytes.readBigUInt64LE(at) === DT_NEEDED)
      .map(({ at, texts }) => textAt(bytes, texts + word64(bytes, at + 8))),
    exports: entries(SHT_DYNSYM, 24)
      .filter(({ at }) => bytes.readUInt16LE(at + 6) !== SHN_UNDEF)
      .map(({ at, texts }) => textAt(bytes, texts + bytes.readUInt32LE(at))),
  };
}

/** @param {Buffer} bytes @returns {AddonFormat} */
function portableExecutable(bytes) {
  const header = bytes.readUInt32LE(0x3c);
  const optional = header + 24;
  const firstSection = optional + bytes.readUInt16LE(header + 20);
  const sections = Array.from({ length: bytes.readUInt16LE(header + 6) }, (_, i) => {
    const at = firstSection + i * 40;
    return {
      start: bytes.readUInt32LE(at + 12),
      size: bytes.readUInt32LE(at + 16),
      file: bytes.readUInt32LE(at + 20),
    };
  });
  /** Where in the file an address of the loaded image lies. */
  const place = (/** @type {number} */ address) => {
    const section = sections.find(({ start, size }) => address >= start && address < start + size);
    if (section === undefined) throw new RangeError('an address outside the sections');
    return address - section.start + section.file;
  };
  const needed = [];
  const imports = bytes.readUInt32LE(optional + 120);
  // An entry without a name ends the list.
  for (let at = imports === 0 ? undefined : place(imports); at !== undefined; at += 20) {
    const name = bytes.readUInt32LE(at + 12);
    if (name === 0) break;
    needed.push(textAt(bytes, place(name)));
  }
  const directory = bytes.readUInt32LE(optional + 112);
  const table = directory === 0 ? undefined : place(directory);
  const names = table === undefined ? 0 : bytes.readUInt32LE(table + 24);
  const list = table === undefined || names === 0 ? 0 : place(bytes.readUInt32LE(table + 32));
  return {
    format: 'PE',
    processor: processorOf(bytes.readUInt16LE(header + 4), 0x8664, 0xaa64),
    needed,
    exports: Array.from({ length: names }, (_, i) => textAt(bytes, place(bytes.readUInt32LE(list + i * 4)))),
  };
}

/** @param {Buffer} bytes @returns {AddonFormat} */
function machO(bytes) {
  const [LC_SYMTAB, LC_LOAD_DYLIB, N_STAB, N_TYPE, N_EXT, N_PEXT] = [0x2, 0xc, 0xe0, 0x0e, 0x01, 0x10];
  /** @type {{ needed: string[], exports: string[] }} */
  const { needed, exports } = { needed: [], exports: [] };
  let at = 32;
  for (let left = bytes.readUInt32LE(16); left > 0; left--) {
    const command = bytes.readUInt32LE(at);
    if (command === LC_LOAD_DYLIB) needed.push(textAt(bytes, at + bytes.readUInt32LE(at + 8)));
    if (command === LC_SYMTAB) {
      const [symbols, count, texts] = [8, 12, 16].map((offset) => bytes.readUInt32LE(at + offset));
      for (let i = 0; i < (count ?? 0); i++) {
        const entry = (symbols ?? 0) + i * 16;
        const type = bytes.readUInt8(entry + 4);
        const isExport = (type & N_EXT) !== 0 && (type & (N_STAB | N_PEXT)) === 0 && (type & N_TYPE) !== 0;
        // C's names have an underscore in front there.
        if (isExport) exports.push(textAt(bytes, (texts ?? 0) + bytes.readUInt32LE(entry)).replace(/^_/, ''));
      }
    }
    at += bytes.readUInt32LE(at + 4);
  }
  return {
    format: 'Mach-O',
    processor: processorOf(bytes.readUInt32LE(4), 0x01000007, 0x0100000c),
    needed,
    exports,
  };
}

/**
 * @param {number} machine
 * @param {number} x64
 * @param {number} arm64
 */
function processorOf(machine, x64, arm64) {
  if (machine === x64) return 'x64';
  return machine === arm64 ? 'arm64' : 'other';
}

/** By the first part of a target's name: the format, and libraries that every system of the kind has. */
const SYSTEMS = /** @type {const} */ ({
  linux: { format: 'ELF', libraries: /^(lib(c|m|dl|rt|pthread|gcc_s)|ld-linux[-\w]*)\.so\.\d$/ },
  alpine: { format: 'ELF', libraries: /^libc\.(so|musl-\w+\.so\.1)$/ },
  win32: { format: 'PE', libraries: /^(kernel32|ntdll|advapi32|user32|api-ms-win-crt-[\w-]+)\.dll$/i },
  darwin: { format: 'Mach-O', libraries: /^\/usr\/lib\/lib(System\.B|c\+\+\.1|objc\.A)\.dylib$/ },
});

/** What Node asks an addon for. */
const ENTRY = 'napi_register_module_v1';

/**
 * What keeps an addon from being that of a platform, one sentence each.
 * @param {AddonFormat} addon
 * @param {string} target as VS Code's marketplace names it
 * @returns {string[]}
 */
export function formatProblems({ format, processor, needed, exports }, target) {
  const [system = '', wanted] = target.split('-');
  const expected = SYSTEMS[/** @type {keyof typeof SYSTEMS} */ (system)];
  const problems = [];
  if (format !== expected.format) problems.push(`The addon for ${target} is a file of ${format}.`);
  if (processor !== wanted) problems.push(`The addon for ${target} is for another processor.`);
  if (!exports.includes(ENTRY)) problems.push(`The addon for ${target} does not offer ${ENTRY}.`);
  // Nothing at all is needed by a file that was not linked.
  if (needed.length === 0) problems.push(`The addon for ${target} asks for no library; that cannot be.`);
  for (const library of needed.filter((name) => !expected.libraries.test(name)))
    problems.push(`The addon for ${target} needs ${library}, which not every system has.`);
  return problems;
}
