/** Stands in for `vscode` in unit tests of files that take no more of it than their texts: English, as in an editor without a language pack. */
type Given = string | number | boolean;

export const l10n = {
  t(
    message: string | { readonly message: string; readonly args?: readonly Given[] },
    ...given: readonly Given[]
  ): string {
    const [text, args] =
      typeof message === 'string' ? [message, given] : [message.message, message.args ?? []];
    return text.replaceAll(/\{(\d+)\}/g, (whole, index: string) => String(args[Number(index)] ?? whole));
  },
};

export const env = { language: 'en' };
