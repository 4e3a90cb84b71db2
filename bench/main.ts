/** The bench: what the engine and the completions are worth, in figures. `npm run bench -- --help` lists what there is. */
import { program, run } from '../cli/program';
import { addAgreementCommand } from './agreement_command';
import { addCertaintySuite } from './certainty/certainty_command';
import { addCutCommand, addCutEditsCommand } from './cut_command';
import { addGrammarSuite } from './grammar/grammar_command';
import { addMemorySuite } from './memory/memory_command';
import { addMetalSuite } from './metal/metal_command';
import { addPeerCommand } from './peer/peer_command';
import { addCompareCommand, addQualitySuite } from './quality_command';
import { addReplaySuite } from './replay/replay_command';
import { addSamplingSuite } from './sampling/sampling_command';
import { addSpeedSuites } from './speed_command';

const bench = program('bench', 'Measures the engine and the completions.');
addSpeedSuites(bench);
addQualitySuite(bench);
addMemorySuite(bench);
addCertaintySuite(bench);
addMetalSuite(bench);
addReplaySuite(bench);
addGrammarSuite(bench);
addSamplingSuite(bench);
addCutCommand(bench);
addCutEditsCommand(bench);
addCompareCommand(bench);
addPeerCommand(bench);
addAgreementCommand(bench);
void run(bench);
