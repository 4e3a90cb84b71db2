/** `peer`: installs the peer without measuring anything, for whoever wants to compare with it in another way. */
import type { Command } from 'commander';
import { ensurePeer } from './peer_package';

export function addPeerCommand(program: Command): void {
  program
    .command('peer')
    .description('Install the peer, llama.cpp, and print the folder of its libraries.')
    .action(async () => {
      const { libraries } = await ensurePeer((step) => {
        console.error(step);
      });
      console.log(libraries);
    });
}
