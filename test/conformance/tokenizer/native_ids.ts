import { spawnSync } from 'node:child_process';
import { existsSync } from 'node:fs';
import { fileURLToPath } from 'node:url';

/** The fastest `tokenizer_cli` of the native test builds, or the one that EMBERLINE_TOKENIZER_CLI names. */
function tokenizerProgram(): string {
  const named = process.env['EMBERLINE_TOKENIZER_CLI'];
  if (named !== undefined) return named;
  const suffix = process.platform === 'win32' ? '.exe' : '';
  // The preset `release` builds beside the addon.
  const built = ['addon', 'debug', 'asan', 'tsan']
    .map((folder) => `../../../build/${folder}/test/native/tokenizer_cli/tokenizer_cli${suffix}`)
    .map((path) => fileURLToPath(new URL(path, import.meta.url)))
    .find((path) => existsSync(path));
  if (built === undefined) {
    throw new Error(
      'The native tests are not built: cmake --preset release && cmake --build --preset release --target tokenizer_cli',
    );
  }
  return built;
}

/** The ids that the engine's tokenizer gives each text. */
export function nativeIds(modelPath: string, texts: readonly string[], parseSpecial: boolean): Uint32Array[] {
  const requests = texts.flatMap((text) => {
    const bytes = Buffer.from(text, 'utf8');
    return [Buffer.from(Uint32Array.of(bytes.length).buffer), bytes];
  });
  const { status, error, stdout, stderr } = spawnSync(
    tokenizerProgram(),
    [modelPath, ...(parseSpecial ? ['--special'] : [])],
    { input: Buffer.concat(requests), maxBuffer: 2 ** 30 },
  );
  if (status !== 0) throw new Error(`tokenizer_cli failed: ${stderr.toString()} ${error?.message ?? ''}`);

  const words = new Uint32Array(
    stdout.buffer.slice(stdout.byteOffset, stdout.byteOffset + stdout.byteLength),
  );
  const replies: Uint32Array[] = [];
  for (let at = 0; at < words.length;) {
    const count = words[at] ?? 0;
    replies.push(words.subarray(at + 1, at + 1 + count));
    at += 1 + count;
  }
  return replies;
}
