/** How good completions of lines are, language by language, as a Markdown table. */
import type { Detail } from './quality_details';
import { numbersTable } from './report';
import { isFirstWordRight } from './scores';

/** As a person who reads the table tells them apart: JavaScript from TypeScript, and not JSON from YAML. */
const GROUPS: readonly (readonly [title: string, files: RegExp])[] = [
  ['Python', /\.pyi?$/],
  ['JavaScript', /\.[cm]?jsx?$/],
  ['TypeScript', /\.[cm]?tsx?$/],
  ['Go', /\.go$/],
  ['Rust', /\.rs$/],
  ['Java', /\.java$/],
  ['C and C++', /\.(?:c|cc|cpp|cxx|h|hh|hpp|hxx)$/],
  ['JSON and YAML', /\.(?:jsonc?|ya?ml)$/],
  ['Markdown', /\.(?:md|markdown)$/],
];

const COLUMNS = [
  'language',
  'within a line',
  'exact %',
  'first word %',
  'line start',
  'exact %',
  'first word %',
  'shown %',
  'of these exact %',
];

/** Of the lines that were drawn: a row for each language that occurs, then one for all. */
export function languageTable(details: readonly Detail[]): string[] {
  const lines = details.filter(({ place, temperature }) => place !== 'block' && temperature > 0);
  const groups = [...GROUPS, ['all', /$/] as const].map(
    ([title, files]) => [title, lines.filter(({ path }) => files.test(path))] as const,
  );
  return numbersTable(COLUMNS, groups.filter(([, some]) => some.length > 0).map(cellsOf));
}

function cellsOf([title, some]: readonly [string, readonly Detail[]]): string[] {
  const [mid, start] = (['mid', 'start'] as const).map((at) => some.filter(({ place }) => place === at));
  const shown = some.filter(({ reason }) => reason === 'shown');
  const isExact = ({ exact }: Detail): boolean => exact;
  return [
    title,
    ...[mid, start].flatMap((group = []) => [
      String(group.length),
      percent(group, isExact),
      percent(group, isFirstWordRight),
    ]),
    percent(some, ({ reason }) => reason === 'shown'),
    percent(shown, isExact),
  ];
}

function percent(some: readonly Detail[], holds: (one: Detail) => boolean): string {
  return some.length === 0 ? '-' : ((100 * some.filter(holds).length) / some.length).toFixed(1);
}
