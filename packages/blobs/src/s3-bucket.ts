import type * as Module from '@aws-sdk/client-s3';
import type { S3Client, S3ServiceException } from '@aws-sdk/client-s3';
import { Problem } from '@roadstead/kit';

/** What names a bucket and how it is reached: plain data, which threads can send each other. */
export interface S3Place {
  readonly bucket: string;
  /** Empty, or with a slash at its end. */
  readonly prefix: string;
  readonly access: S3Access;
}

/** The credentials are those that the client of Amazon finds: in the environment, in files, of a role. */
export interface S3Access {
  /** The address of a server that speaks S3; undefined for Amazon’s own. */
  readonly endpoint: string | undefined;
  /** Where clients reach the same buckets; undefined where they can’t. */
  readonly public_endpoint: string | undefined;
  /** Undefined: what the profile or the machine says. */
  readonly region: string | undefined;
}

/** The client, which takes a while to load and is needed only where there is a bucket. */
export type S3 = typeof Module;

/** What a client is for: each kind has connections of its own, so that none waits for another. */
const PURPOSES = {
  /** Some are made within a transaction. */
  calls: { head_ms: 8000, connections: 64 },
  /** The time of a whole part, on a slow line. */
  uploads: { head_ms: 300_000, connections: 32 },
  /** An answer begins when all of it is put together. */
  copies: { head_ms: 900_000, connections: 8 },
  /** A reader may take as long as it likes. */
  downloads: { head_ms: 20_000, connections: Infinity },
} as const;
type S3Purpose = keyof typeof PURPOSES;

const CONNECT_MS = 5000;
/** A connection on which nothing moves is given up. */
const SILENT_MS = 300_000;
const ignore = () => undefined;

export function createS3Client(
  s3: S3,
  { endpoint, region }: Pick<S3Access, 'endpoint' | 'region'>,
  purpose: S3Purpose = 'calls',
): S3Client {
  const { head_ms, connections } = PURPOSES[purpose];
  const agent = { keepAlive: true, maxSockets: connections };
  return new s3.S3Client({
    ...(endpoint && { endpoint, forcePathStyle: true }),
    ...(region && { region }),
    // Servers that speak an older S3 refuse checksums that they don’t ask for, or leave `Expect` unanswered.
    requestChecksumCalculation: 'WHEN_REQUIRED',
    responseChecksumValidation: 'WHEN_REQUIRED',
    expectContinueHeader: false,
    logger: { debug: ignore, info: ignore, warn: ignore, error: ignore },
    requestHandler: {
      connectionTimeout: CONNECT_MS,
      requestTimeout: head_ms,
      throwOnRequestTimeout: true,
      socketTimeout: Math.max(SILENT_MS, head_ms),
      httpsAgent: agent,
      httpAgent: agent,
    },
  });
}

export type S3Clients = Readonly<Record<S3Purpose, S3Client>>;

export const createS3Clients = (s3: S3, access: S3Access): S3Clients => ({
  calls: createS3Client(s3, access, 'calls'),
  uploads: createS3Client(s3, access, 'uploads'),
  copies: createS3Client(s3, access, 'copies'),
  downloads: createS3Client(s3, access, 'downloads'),
});

const isAnswer = (error: unknown): error is S3ServiceException =>
  error instanceof Error && '$metadata' in error && '$fault' in error;

/** Whether the bucket has no such object. */
export const isMissing = (error: unknown): boolean =>
  isAnswer(error) && (error.name === 'NoSuchKey' || error.name === 'NotFound');

/** Whether an upload was ended or given up before. */
export const isNoUpload = (error: unknown): boolean => isAnswer(error) && error.name === 'NoSuchUpload';

const NO_RIGHT = 'The credentials may not list what is in it.';
const NO_CREDENTIALS =
  'There are no credentials: AWS_ACCESS_KEY_ID and AWS_SECRET_ACCESS_KEY are not set, and neither a profile nor the machine has any.';
const OTHER_REGION = 'It is in another region than AWS_REGION says.';
const EXPIRED = 'The credentials have expired.';
const SENTENCES: Readonly<Record<string, string>> = {
  NoSuchBucket: 'There is no such bucket.',
  InvalidBucketName: 'The name is none of a bucket.',
  AccessDenied: NO_RIGHT,
  Forbidden: NO_RIGHT,
  InvalidAccessKeyId: 'The server does not know the access key.',
  SignatureDoesNotMatch: 'The secret access key is not that of the access key.',
  InvalidToken: EXPIRED,
  ExpiredToken: EXPIRED,
  RequestTimeTooSkewed: 'The clock of this machine differs from that of the server.',
  CredentialsProviderError: NO_CREDENTIALS,
  TokenProviderError: NO_CREDENTIALS,
  PermanentRedirect: OTHER_REGION,
  AuthorizationHeaderMalformed: OTHER_REGION,
};

/** What an operator has to mend; undefined where the server is only away. */
export function findRefusal(error: unknown): string | undefined {
  if (!(error instanceof Error)) return undefined;
  return error.message.startsWith('Region is missing') ? 'AWS_REGION is not set.' : SENTENCES[error.name];
}

/** What a caller is told; the log has the cause. */
export const unavailable = (cause: unknown): Problem =>
  new Problem('unavailable', 'The store of files can’t be reached now.', { cause, retry_after_s: 5 });
