import { mkdir, readFile, rename, writeFile } from 'node:fs/promises';
import { join } from 'node:path';
import { rootCertificates } from 'node:tls';
import { Problem } from '@roadstead/kit';

type Environment = Readonly<Record<string, string | undefined>>;

/** Variables by which programs find the authorities that they trust: Node and npm, git, pip, uv and whatever stands on OpenSSL. Most trust no others then. */
const NAMES = ['NODE_EXTRA_CA_CERTS', 'GIT_SSL_CAINFO', 'PIP_CERT', 'SSL_CERT_FILE'];

interface AuthoritiesOptions {
  /** A file of certificates as PEM; undefined: none are trusted beside those that are generally known. */
  readonly ca_bundle: string | undefined;
  readonly data_folder: string;
}

/**
 * The operator's environment, with which git and builds trust these authorities, too. Theirs and those that are generally known are one file of
 * our data folder, since pods of builds see nothing else of this machine.
 * @throws Problem `invalid` where the file has no certificates
 */
export async function withAuthorities(
  environment: Environment,
  { ca_bundle, data_folder }: AuthoritiesOptions,
): Promise<Environment> {
  if (ca_bundle === undefined) return environment;
  const own = await readFile(ca_bundle, 'utf8').catch((cause: unknown) => {
    throw unfit(ca_bundle, { why: 'can’t be read', cause });
  });
  if (!own.includes('-----BEGIN CERTIFICATE-----'))
    throw unfit(ca_bundle, { why: 'has no certificate as PEM' });
  const file = join(data_folder, 'authorities', 'trusted.pem');
  await mkdir(join(file, '..'), { recursive: true });
  await writeFile(`${file}.new`, [...rootCertificates, own, ''].join('\n'), { mode: 0o644 });
  // A build of an earlier life may be reading it.
  await rename(`${file}.new`, file);
  return { ...environment, ...Object.fromEntries(NAMES.map((name) => [name, file])) };
}

const unfit = (file: string, { why, cause }: { readonly why: string; readonly cause?: unknown }) =>
  new Problem('invalid', `The file ${file}, which ROADSTEAD_CA_BUNDLE names, ${why}.`, {
    cause,
    hint: 'Name a file of certificates, each between BEGIN CERTIFICATE and END CERTIFICATE (caBundle of the chart).',
  });
