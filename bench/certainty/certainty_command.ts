/** `certainty`: fits and judges how sure one can be of a suggestion. */
import type { Command } from 'commander';
import { writeBytes } from '../../cli/files';
import { formatReport, reportOf } from '../report';
import { certaintyRows } from './fit';
import { observationsOfDetails, OWN_TABLE, readObservations, tableOf } from './observations';

export function addCertaintySuite(program: Command): void {
  program
    .command('certainty')
    .description('fit how sure a suggestion has to be to places whose text is known')
    .option(
      '--details <file>',
      'what `quality --drawn --details` wrote; default: the table in the repository',
    )
    .option('--write', 'put the places of the details into the table', false)
    .action(async ({ details, write }: { readonly details?: string; readonly write: boolean }) => {
      const observations = await (details === undefined
        ? readObservations(OWN_TABLE)
        : observationsOfDetails(details));
      if (write) await writeBytes(OWN_TABLE, tableOf(observations));
      console.log(formatReport(reportOf('certainty', certaintyRows(observations))));
    });
}
