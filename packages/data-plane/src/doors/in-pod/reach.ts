import { X509Certificate } from 'node:crypto';
import { connect, type TLSSocket } from 'node:tls';

/** The variables by which a program of ours in a pod finds the data plane that started it. */
export const reachVariables = {
  /** `HOST:PORT`. */
  address: 'ROADSTEAD_HOSTS_ADDRESS',
  /** The one certificate that is trusted, as PEM. */
  certificate: 'ROADSTEAD_HOSTS_CERTIFICATE',
  /** What the pod is known by. */
  token: 'ROADSTEAD_POD_TOKEN',
} as const;

/** What both ends agree on: two of the connections of a host speak HTTP/2, and Node takes TLS for that by this name alone. */
export const HOSTS_ALPN = ['h2'] as const;

/** How long a connection may take. */
const CONNECT_MS = 10_000;

/** A connection to the data plane, once it has proven its certificate. Rejects where it can't be had. */
export async function reach(): Promise<TLSSocket> {
  const address = process.env[reachVariables.address] ?? '';
  const { [reachVariables.certificate]: certificate = '' } = process.env;
  const at = address.lastIndexOf(':');
  const socket = connect({
    host: address.slice(0, at).replaceAll(/[[\]]/g, ''),
    port: Number(address.slice(at + 1)),
    ca: certificate,
    // It may be signed by somebody who is not trusted here.
    allowPartialTrustChain: true,
    // That certificate is the only one, whatever name it bears.
    checkServerIdentity: (_name, { raw }) =>
      raw.equals(new X509Certificate(certificate).raw) ? undefined : new Error('It has another certificate.'),
    minVersion: 'TLSv1.3',
    ALPNProtocols: [...HOSTS_ALPN],
  });
  const late = setTimeout(() => socket.destroy(new Error('The data plane does not answer.')), CONNECT_MS);
  try {
    await new Promise<void>((resolve, reject) => {
      socket.once('secureConnect', resolve).once('error', reject);
    });
  } finally {
    clearTimeout(late);
  }
  socket.setNoDelay(true);
  return socket;
}
