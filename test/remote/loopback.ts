import { once } from 'node:events';
import type { Server } from 'node:http';
import type { AddressInfo } from 'node:net';

export interface Listening {
  /** For example `127.0.0.1:40123`. */
  readonly host: string;
  /** Breaks what connections there are, and settles when the port is free. */
  readonly stop: () => Promise<void>;
}

/** Has a server listen to this machine alone, on a free port. */
export async function listenHere(server: Server): Promise<Listening> {
  await once(server.listen(0, '127.0.0.1'), 'listening');
  const { port } = server.address() as AddressInfo;
  return {
    host: `127.0.0.1:${port}`,
    stop: async () => {
      server.closeAllConnections();
      await new Promise((resolve) => server.close(resolve));
    },
  };
}
