/** The parsers of the languages that are measured: Lezer's, which take broken text as well. */
import { parser as cpp } from '@lezer/cpp';
import { parser as go } from '@lezer/go';
import { parser as java } from '@lezer/java';
import { parser as javascript } from '@lezer/javascript';
import { parser as json } from '@lezer/json';
import { parser as python } from '@lezer/python';
import { parser as rust } from '@lezer/rust';
import { type Language, languageOf } from './languages';

export type Parser = typeof python;

const TYPED = javascript.configure({ dialect: 'ts' });
const WITH_MARKUP = javascript.configure({ dialect: 'ts jsx' });

const PARSERS: Readonly<Partial<Record<Language, Parser>>> = {
  py: python,
  go,
  rust,
  java,
  c: cpp,
  json,
};

/** By a file's name; undefined for a language without a parser here. */
export function parserOf(path: string): Parser | undefined {
  const language = languageOf(path);
  if (language === undefined) return undefined;
  if (language !== 'js') return PARSERS[language];
  // Where markup may stand, what is in angle brackets is not a cast.
  return /\.[cm]?ts$/.test(path) ? TYPED : WITH_MARKUP;
}
