/** The commands by their names. */
import type { EmberlineContext } from '../context';
import * as engines from './engines';
import * as menu from './menu';
import * as reporting from './reporting';
import * as suggesting from './suggesting';
import * as writing from './writing';

type Command = (context: EmberlineContext, ...given: readonly unknown[]) => unknown;

/** Those of package.json; a test compares the two. */
export const COMMANDS: Readonly<Record<string, Command>> = {
  'emberline.enable': suggesting.enable,
  'emberline.disable': suggesting.disable,
  'emberline.pause': suggesting.pause,
  'emberline.resume': suggesting.resume,
  'emberline.toggleLanguage': suggesting.toggleLanguage,
  'emberline.tryIt': suggesting.tryIt,
  'emberline.trigger': suggesting.trigger,
  'emberline.accept': suggesting.accept,
  'emberline.dismiss': suggesting.dismiss,
  'emberline.generate': writing.generate,
  'emberline.generateLines': writing.generateLines,
  'emberline.editSelection': writing.editSelection,
  'emberline.applyEdit': writing.applyEdit,
  'emberline.discardEdit': writing.discardEdit,
  'emberline.nextCandidate': writing.nextCandidate,
  'emberline.previousCandidate': writing.previousCandidate,
  'emberline.editAgain': writing.editAgain,
  'emberline.stopGenerating': writing.stopGenerating,
  'emberline.explain': suggesting.explain,
  'emberline.chooseModel': engines.chooseModel,
  'emberline.downloadModel': engines.downloadModel,
  'emberline.manageModels': engines.manageModels,
  'emberline.useRemoteEngine': engines.useRemoteEngine,
  'emberline.useLocalEngine': engines.useLocalEngine,
  'emberline.setRemoteKey': engines.setRemoteKey,
  'emberline.restart': engines.restart,
  'emberline.reportIssue': reporting.reportIssue,
  'emberline.copyReport': reporting.copyReport,
  'emberline.showLog': reporting.showLog,
  'emberline.menu': menu.menu,
  'emberline.showDashboard': menu.showDashboard,
  'emberline.openSettings': menu.openSettings,
};
