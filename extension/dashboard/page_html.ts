/** The dashboard's page as the webview is given it: everything in it comes from the extension's own folder, and it may load nothing else. */

export interface PagePlaces {
  /** The webview's word for the extension's own files, for its policy. */
  readonly cspSource: string;
  /** New for each page: scripts without it do not run. */
  readonly nonce: string;
  readonly script: string;
  readonly style: string;
}

export function pageHtml({ cspSource, nonce, script, style }: PagePlaces): string {
  const policy = [
    "default-src 'none'",
    `script-src 'nonce-${nonce}'`,
    `style-src ${cspSource}`,
    "base-uri 'none'",
    "form-action 'none'",
  ].join('; ');
  return `<!doctype html>
<html lang="en">
<head>
<meta charset="utf-8">
<meta http-equiv="Content-Security-Policy" content="${policy}">
<meta name="viewport" content="width=device-width, initial-scale=1">
<title>Emberline Dashboard</title>
<link rel="stylesheet" href="${style}">
</head>
<body>
<main id="dashboard"></main>
<script nonce="${nonce}" src="${script}"></script>
</body>
</html>
`;
}
