/**
 * package.json as it is published: with the addresses of the repository that it is published from. They stand in no file here, so that a copy of
 * this one names itself, and nobody else's page: the hosted CI says where it runs (EMBERLINE_REPOSITORY).
 */
import { Failure } from './failure.mjs';

/** @returns {string | undefined} for example `https://github.com/OWNER/NAME`; undefined: it is not published */
export function publishedRepository() {
  const url = process.env['EMBERLINE_REPOSITORY'];
  if (url === undefined || url === '') return undefined;
  if (!/^https:\/\/[\w.-]+\/[\w.-]+\/[\w.-]+$/.test(url))
    throw new Failure(`EMBERLINE_REPOSITORY is ${url}; it has to be like https://github.com/OWNER/NAME.`);
  return url;
}

/**
 * @param {string} manifest the text of package.json
 * @param {string} repository
 * @returns {string}
 */
export function publishedManifest(manifest, repository) {
  const addresses = {
    repository: { type: 'git', url: `${repository}.git` },
    homepage: `${repository}#readme`,
    bugs: { url: `${repository}/issues` },
    qna: `${repository}/discussions`,
  };
  return `${JSON.stringify({ ...JSON.parse(manifest), ...addresses }, null, 2)}\n`;
}
