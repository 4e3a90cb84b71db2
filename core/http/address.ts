/** What an address says about who can read along. */

/** Whether nobody on the way can read along: over TLS, or on this machine itself. */
export function isSafe(url: URL): boolean {
  return url.protocol === 'https:' || (url.protocol === 'http:' && isLoopback(url));
}

export function isLoopback({ hostname }: URL): boolean {
  return hostname === 'localhost' || hostname === '[::1]' || /^127(?:\.\d{1,3}){3}$/.test(hostname);
}

/** Whether the host is one of a network of one's own: an address that is not routed (RFC 1918, RFC 4193), or a name without a public domain. */
export function isPrivateNetwork({ hostname }: URL): boolean {
  if (
    /^10(?:\.\d{1,3}){3}$|^192\.168(?:\.\d{1,3}){2}$|^172\.(?:1[6-9]|2\d|3[01])(?:\.\d{1,3}){2}$/.test(
      hostname,
    )
  )
    return true;
  if (/^\[f[cd][0-9a-f]{2}:/.test(hostname)) return true;
  return /^(?:[a-z\d-]*[a-z][a-z\d-]*|(?:[a-z\d-]+\.)+(?:local|lan|internal|home\.arpa))$/.test(hostname);
}
