import { execFile } from 'node:child_process';
import { mkdtemp, readFile, rm } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';

/** A certificate that is signed by itself, and its key, as PEM. */
export async function ownCertificate(): Promise<{ readonly certificate: string; readonly key: string }> {
  const folder = await mkdtemp(join(tmpdir(), 'certificate-'));
  try {
    const [key, certificate] = [join(folder, 'key.pem'), join(folder, 'certificate.pem')];
    const curve = ['-newkey', 'ec', '-pkeyopt', 'ec_paramgen_curve:prime256v1', '-nodes', '-days', '2'];
    const files = ['-keyout', key, '-out', certificate, '-subj', '/CN=roadstead'];
    await promisify(execFile)('openssl', ['req', '-x509', ...curve, ...files]);
    return { certificate: await readFile(certificate, 'utf8'), key: await readFile(key, 'utf8') };
  } finally {
    await rm(folder, { recursive: true, force: true });
  }
}
