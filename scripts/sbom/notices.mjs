/** THIRD_PARTY.md: what the packages hold that is not Emberline's own, and its licences. `npm run notices` writes it; with `--check` it says whether it would change. */
import { readFileSync, writeFileSync } from 'node:fs';
import { join } from 'node:path';
import { fileURLToPath } from 'node:url';
import { parseArgs } from 'node:util';
import { Failure } from '../failure.mjs';
import { embeddedModelName, ROOT } from '../paths.mjs';
import { runCommand } from '../processes.mjs';
import { materials } from './materials.mjs';
import { bundledBom } from './sbom.mjs';

/** @typedef {{ name: string, version?: string | undefined, license: string, where: string, text?: string | undefined }} Entry */

const PAGE = join(ROOT, 'THIRD_PARTY.md');

/** @returns {Promise<string>} the page */
export async function noticesPage() {
  const { format } = await import('oxfmt');
  const entries = [...bundled(), ...compiled()];
  const rows = entries.map(
    ({ name, version, license, where }) =>
      `| ${name}${version === undefined ? '' : ` ${version}`} | ${where} | ${license} |`,
  );
  const notices = entries.flatMap(({ name, text }) =>
    text === undefined ? [] : [`### ${name}`, '', '```text', text.replaceAll('\r\n', '\n').trim(), '```', ''],
  );
  const page = [
    '# Third-party material',
    '',
    '<!-- Made by `npm run notices` from what the bundles are made of and scripts/sbom/materials.json. -->',
    '',
    '## In the packaged extension',
    '',
    '| what | where | licence |',
    '| --- | --- | --- |',
    `| ${embeddedModelName()}, made from SmolLM2-135M-Instruct | \`models/\`: see [models/README.md](models/README.md) and [models/NOTICES.md](models/NOTICES.md) | Apache-2.0 |`,
    ...rows,
    '',
    "Which of them one package holds is said by its bill of materials (CycloneDX), which is published beside it. The JSON Schemas in `core/schema/bundled/` are Emberline's own.",
    '',
    '## Used to build and test only',
    '',
    "The packages listed in `package.json` under `devDependencies`, GoogleTest, and, in the reference fixtures' scripts, PyTorch, transformers and SentencePiece, and, in `test/conformance/json-schema` and `test/conformance/json-schema-remotes`, the tests of drafts 7 and 2020-12 of the JSON Schema Test Suite, and the documents they refer to, as the Python package jsonschema 4.26.0 carries them (MIT, © Julian Berman; its licence is beside them), and, in `test/fixtures/chat_templates`, the chat templates that the files of well-known models hold. None of them is part of what is installed.",
    '',
    '## Formats and methods implemented here',
    '',
    'GGUF and its block formats (ggml project, MIT) are implemented from their specification. Papers are named in the source files that implement them.',
    '',
    '## Notices',
    '',
    ...notices,
  ].join('\n');
  const options = /** @type {import('oxfmt').FormatConfig} */ (
    JSON.parse(readFileSync(join(ROOT, '.oxfmtrc.json'), 'utf8'))
  );
  const { code, errors } = await format(PAGE, page, options);
  if (errors.length > 0)
    throw new Failure(`THIRD_PARTY.md: ${errors.map(({ message }) => message).join(' ')}`);
  return code;
}

/** @returns {Entry[]} packages of which at least a part is in a bundle */
function bundled() {
  return bundledBom().components.map(({ name, group, version, licenses, evidence }) => {
    const texts = evidence?.licenses.map(({ license }) =>
      Buffer.from(license.text.content, 'base64').toString('utf8'),
    );
    const ids = /** @type {{ license?: { id: string }, expression?: string }[]} */ (licenses);
    if (texts === undefined || texts.length === 0) throw new Failure(`${name} has no licence file.`);
    return {
      name: group === undefined ? name : `${group}/${name}`,
      version,
      license: ids.map(({ license, expression }) => license?.id ?? expression).join(', '),
      where: 'bundled into the JavaScript',
      text: texts.join('\n\n'),
    };
  });
}

/** @returns {Entry[]} */
function compiled() {
  return materials().flatMap(({ name, version, license, licenseName, where, text, ancestor }) =>
    ancestor === true ? [] : [{ name, version, license: license ?? String(licenseName), where, text }],
  );
}

/** @param {boolean} fix */
export async function checkNotices(fix) {
  const page = await noticesPage();
  if (readFileSync(PAGE, 'utf8') === page) return;
  if (!fix) throw new Failure('THIRD_PARTY.md is not what the packages hold; `npm run notices` mends that.');
  writeFileSync(PAGE, page);
}

/** @returns {Promise<number>} */
async function main() {
  const { values } = parseArgs({ options: { check: { type: 'boolean', default: false } } });
  await checkNotices(!values.check);
  return 0;
}

if (process.argv[1] === fileURLToPath(import.meta.url)) await runCommand(main);
