/** A report about a problem: opened in an editor, where its sender reads it before anything leaves the machine. */
import { arch, cpus, homedir, platform, release, totalmem, userInfo } from 'node:os';
import * as vscode from 'vscode';
import { addonPath, loadAddon } from '../core/engine/binding';
import { changedSettings, type SettingSchema } from '../core/report/changed_settings';
import { newIssuePage, type ReportFacts, reportOf } from '../core/report/report';

/** `emberline.copyReport` is offered where a file of this name is open. */
const REPORT = vscode.Uri.from({ scheme: 'untitled', path: 'emberline-report.md' });

/** What the extension knows of itself. */
export type OwnFacts = Pick<ReportFacts, 'engine' | 'status' | 'model' | 'prefillSpeed' | 'recent'>;

/** package.json, as far as it is read. */
export interface Manifest {
  readonly version: string;
  readonly bugs?: unknown;
  readonly repository?: unknown;
  readonly contributes: {
    readonly configuration: readonly { readonly properties: Readonly<Record<string, SettingSchema>> }[];
  };
}

/**
 * Shows a new report in the place of an earlier one; one undo brings that back.
 * @param root The folder the extension is installed in.
 */
export async function openReport(
  manifest: Manifest,
  own: OwnFacts,
  root: string,
): Promise<vscode.TextEditor> {
  const text = reportOf({ ...own, ...(await surroundings(manifest, root)) });
  const document = await vscode.workspace.openTextDocument(REPORT);
  const editor = await vscode.window.showTextDocument(document);
  const whole = new vscode.Range(document.positionAt(0), document.positionAt(document.getText().length));
  await editor.edit((builder) => builder.replace(whole, text));
  const line = document.getText().split(/\r?\n/).indexOf('## What happened') + 2;
  editor.selection = new vscode.Selection(line, 0, line, 0);
  return editor;
}

/** Copies the report as it stands in its editor, and opens the page for it where there is one. Whether there was a report. */
export async function copyReport(manifest: Manifest): Promise<boolean> {
  const open = vscode.workspace.textDocuments.find(({ uri }) => uri.toString() === REPORT.toString());
  if (open === undefined) return false;
  await vscode.env.clipboard.writeText(open.getText());
  const page = newIssuePage(manifest);
  if (page !== undefined) await vscode.env.openExternal(vscode.Uri.parse(page));
  return true;
}

/** Whether there is a page to which a report goes. */
export function hasIssuePage(manifest: Manifest): boolean {
  return newIssuePage(manifest) !== undefined;
}

async function surroundings(manifest: Manifest, root: string): Promise<Omit<ReportFacts, keyof OwnFacts>> {
  const schemas = Object.fromEntries(
    manifest.contributes.configuration.flatMap(({ properties }) => Object.entries(properties)),
  );
  const configuration = vscode.workspace.getConfiguration();
  const languages = new Set(await vscode.languages.getLanguages());
  const processors = cpus();
  const addon = loadAddon(addonPath(root));
  return {
    emberline: manifest.version,
    editor: { name: vscode.env.appName, version: vscode.version, language: vscode.env.language },
    remote: vscode.env.remoteName,
    machine: {
      platform: platform(),
      architecture: arch(),
      release: release(),
      node: process.versions.node,
      processor: processors[0]?.model ?? 'processor unknown',
      cores: processors.length,
      memoryBytes: totalmem(),
      instructionSets: addon.ok ? addon.value.isas : [],
    },
    settings: changedSettings(schemas, (name) => configuration.get(name), languages),
    person: { home: homedir(), user: nameOfUser() },
  };
}

/** A system may know no name for whoever runs this. */
function nameOfUser(): string {
  try {
    return userInfo().username;
  } catch {
    return '';
  }
}
