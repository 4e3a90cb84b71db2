/** The bench: what the engine and the completions are worth, in figures. `npm run bench -- --help` lists what there is. */
import { program, run } from '../cli/program';
import { addAgreementCommand } from './agreement_command';
import { addBlockEndsCommand } from './block_ends/block_ends_command';
import { addSeveralCommand } from './block_ends/several_command';
import { addCertaintySuite } from './certainty/certainty_command';
import { addCutCommand, addCutEditsCommand } from './cut_command';
import { addGrammarSuite } from './grammar/grammar_command';
import { addKvCacheSuite } from './kv_cache_command';
import { addMemorySuite } from './memory/memory_command';
import { addMetalSuite } from './metal/metal_command';
import { addPeerCommand } from './peer/peer_command';
import { addCompareCommand, addLanguagesCommand, addQualitySuite } from './quality_command';
import { addReplaySuite } from './replay/replay_command';
import { addSamplingSuite } from './sampling/sampling_command';
import { addSoakSuite } from './soak/soak_command';
import { addSpeedSuites } from './speed_command';

const bench = program('bench', 'Measures the engine and the completions.');
addSpeedSuites(bench);
addQualitySuite(bench);
addMemorySuite(bench);
addKvCacheSuite(bench);
addCertaintySuite(bench);
addBlockEndsCommand(bench);
addSeveralCommand(bench);
addMetalSuite(bench);
addReplaySuite(bench);
addGrammarSuite(bench);
addSamplingSuite(bench);
addSoakSuite(bench);
addCutCommand(bench);
addCutEditsCommand(bench);
addCompareCommand(bench);
addLanguagesCommand(bench);
addPeerCommand(bench);
addAgreementCommand(bench);
endChildrenOnInterrupt();
void run(bench);

/** Leaves through `exit`, whose handlers end the workers and whatever is being built. */
function endChildrenOnInterrupt(): void {
  const statuses = { SIGINT: 130, SIGTERM: 143, SIGHUP: 129 } as const;
  for (const signal of ['SIGINT', 'SIGTERM', 'SIGHUP'] as const) {
    process.once(signal, () => process.exit(statuses[signal]));
  }
}
