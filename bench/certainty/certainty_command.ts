/** `certainty`: fits and judges how sure one can be of a suggestion. */
import type { Command } from 'commander';
import { writeBytes } from '../../cli/files';
import { type Eagerness, LEAST_CERTAINTY, leastOfPart } from '../../core/completion/certainty';
import { formatReport, reportOf } from '../report';
import { certaintyRows, temperatureRows } from './fit';
import { observationsOfDetails, OWN_TABLES, ownObservations, tableOf } from './observations';

export function addCertaintySuite(program: Command): void {
  program
    .command('certainty')
    .description('fit how sure a suggestion has to be to places whose text is known')
    .option(
      '--details <file>',
      'what `quality --drawn --details` wrote; default: the tables in the repository',
    )
    .option('--write', 'put the places of the details into the tables', false)
    .action(async ({ details, write }: { readonly details?: string; readonly write: boolean }) => {
      const { lines, parts } = await (details === undefined
        ? ownObservations()
        : observationsOfDetails(details));
      if (write) {
        await writeBytes(OWN_TABLES.lines, tableOf(lines));
        await writeBytes(OWN_TABLES.parts, tableOf(parts));
      }
      const ofLine = (eagerness: Eagerness): number => LEAST_CERTAINTY[eagerness];
      const rows = [
        ...certaintyRows('certainty', lines, ofLine),
        ...temperatureRows('certainty', lines),
        ...certaintyRows('certainty/part', parts, (eagerness) => leastOfPart(ofLine(eagerness))),
      ];
      console.log(formatReport(reportOf('certainty', rows)));
    });
}
