import { createHash, randomUUID } from 'node:crypto';
import { once } from 'node:events';
import { createServer, type IncomingMessage, type ServerResponse } from 'node:http';
import type { AddressInfo } from 'node:net';
import { buffer } from 'node:stream/consumers';
import { S3_CREDENTIALS } from './s3-credentials.ts';

interface StoredObject {
  readonly content: Buffer;
  readonly put_at: Date;
}

interface OpenUpload {
  readonly key: string;
  readonly began_at: Date;
  readonly parts: Map<number, Buffer>;
}

/** A server that plays S3 for one bucket, as far as blobs use it; it checks who asks by the access key alone. */
export interface FakeS3 extends AsyncDisposable {
  readonly url: string;
  readonly bucket: string;
  readonly objects: Map<string, StoredObject>;
  readonly uploads: Map<string, OpenUpload>;
  /** Answers the next requests with these codes instead, in their order; of `LostAnswer` it does what is asked first, and an empty one is none. */
  readonly refusals: string[];
  /** The time at which things are written from now on; unset, the time of the machine. */
  now: Date | undefined;
}

/** Small, so that lists have several pages. */
const PAGE = 2;
const STATUS: Readonly<Record<string, number>> = {
  NoSuchKey: 404,
  NoSuchBucket: 404,
  NoSuchUpload: 404,
  AccessDenied: 403,
  InvalidAccessKeyId: 403,
  BadDigest: 400,
  InvalidRequest: 400,
  InternalError: 500,
  SlowDown: 503,
};

class Refusal extends Error {
  readonly code: string;
  constructor(code: string) {
    super(code);
    this.code = code;
  }
}

/** A request, as far as it matters which it is. */
interface S3Request {
  readonly method: string;
  readonly key: string;
  readonly query: URLSearchParams;
  readonly headers: IncomingMessage['headers'];
  readonly body: Buffer;
}

interface Answer {
  readonly status?: number;
  readonly headers?: Record<string, string>;
  readonly body?: Buffer | string;
}

export async function startFakeS3(): Promise<FakeS3> {
  const server = createServer((request, response) => void answer(fake, request, response));
  server.listen(0, '127.0.0.1');
  await once(server, 'listening');
  const fake: FakeS3 = {
    url: `http://127.0.0.1:${(server.address() as AddressInfo).port}`,
    bucket: 'blobs-of-tests',
    objects: new Map(),
    uploads: new Map(),
    refusals: [],
    now: undefined,
    [Symbol.asyncDispose]: async () => {
      server.closeAllConnections();
      await new Promise((done) => server.close(done));
    },
  };
  return fake;
}

async function answer(fake: FakeS3, request: IncomingMessage, response: ServerResponse): Promise<void> {
  const {
    status = 200,
    headers = {},
    body = '',
  } = await answerOf(fake, request).catch((error: unknown) => {
    const code = error instanceof Refusal ? error.code : 'InternalError';
    return { status: STATUS[code] ?? 500, headers: {}, body: `<Error><Code>${code}</Code></Error>` };
  });
  response.writeHead(status, { 'content-length': String(Buffer.byteLength(body)), ...headers });
  response.end(request.method === 'HEAD' ? undefined : body);
}

async function answerOf(fake: FakeS3, request: IncomingMessage): Promise<Answer> {
  const { pathname, searchParams: query } = new URL(request.url ?? '/', fake.url);
  const [, bucket = '', ...rest] = pathname.split('/').map(decodeURIComponent);
  const { method = 'GET', headers } = request;
  const asked = { method, key: rest.join('/'), query, headers, body: await buffer(request) };
  const refusal = fake.refusals.shift();
  if (refusal && refusal !== 'LostAnswer') throw new Refusal(refusal);
  const who = headers.authorization ?? query.get('X-Amz-Credential') ?? '';
  if (!who.includes(S3_CREDENTIALS.AWS_ACCESS_KEY_ID)) throw new Refusal('InvalidAccessKeyId');
  if (bucket !== fake.bucket) throw new Refusal('NoSuchBucket');
  const { 'content-md5': md5 } = headers;
  if (md5 !== undefined && createHash('md5').update(asked.body).digest('base64') !== md5)
    throw new Refusal('BadDigest');
  const done = act(fake, asked);
  if (refusal === 'LostAnswer') throw new Refusal('InternalError');
  return done;
}

function act(fake: FakeS3, asked: S3Request): Answer {
  const { key, query } = asked;
  if (key === '') return query.has('uploads') ? listUploads(fake) : listObjects(fake, asked);
  if (query.has('uploads')) return beginUpload(fake, asked);
  return query.has('uploadId') ? onUpload(fake, asked) : onObject(fake, asked);
}

const xml = (body: string): Answer => ({ headers: { 'content-type': 'application/xml' }, body });
const etagOf = (content: Buffer) => `"${createHash('md5').update(content).digest('hex')}"`;
const now = (fake: FakeS3) => fake.now ?? new Date();

function listObjects({ objects }: FakeS3, { query }: S3Request): Answer {
  const after = query.get('continuation-token') ?? '';
  const keys = [...objects.keys()]
    .filter((key) => key.startsWith(query.get('prefix') ?? '') && key > after)
    .toSorted();
  const page = keys.slice(0, PAGE);
  const items = page.map(
    (key) =>
      `<Contents><Key>${key}</Key><LastModified>${objects.get(key)?.put_at.toISOString()}</LastModified></Contents>`,
  );
  const is_cut = keys.length > PAGE;
  const next = is_cut ? `<NextContinuationToken>${page.at(-1)}</NextContinuationToken>` : '';
  return xml(
    `<ListBucketResult>${items.join('')}<IsTruncated>${is_cut}</IsTruncated>${next}</ListBucketResult>`,
  );
}

function listUploads({ uploads }: FakeS3): Answer {
  const items = [...uploads].map(
    ([id, { key, began_at }]) =>
      `<Upload><Key>${key}</Key><UploadId>${id}</UploadId><Initiated>${began_at.toISOString()}</Initiated></Upload>`,
  );
  return xml(
    `<ListMultipartUploadsResult><IsTruncated>false</IsTruncated>${items.join('')}</ListMultipartUploadsResult>`,
  );
}

function beginUpload(fake: FakeS3, { key }: S3Request): Answer {
  const id = randomUUID();
  fake.uploads.set(id, { key, began_at: now(fake), parts: new Map() });
  return xml(`<InitiateMultipartUploadResult><UploadId>${id}</UploadId></InitiateMultipartUploadResult>`);
}

function onUpload(fake: FakeS3, asked: S3Request): Answer {
  const { uploads, objects } = fake;
  const id = asked.query.get('uploadId') ?? '';
  const upload = uploads.get(id);
  if (upload === undefined) throw new Refusal('NoSuchUpload');
  if (asked.method === 'DELETE') {
    uploads.delete(id);
    return { status: 204 };
  }
  if (asked.method === 'PUT') {
    const copied = copySource(fake, asked);
    const content = copied ?? asked.body;
    upload.parts.set(Number(asked.query.get('partNumber')), content);
    return copied === undefined
      ? { headers: { etag: etagOf(content) } }
      : xml(`<CopyPartResult><ETag>${etagOf(content)}</ETag></CopyPartResult>`);
  }
  const sent = [...asked.body.toString().matchAll(/<PartNumber>(\d+)</g)].map(([, number]) => Number(number));
  const content = Buffer.concat(sent.map((number) => upload.parts.get(number) ?? Buffer.alloc(0)));
  objects.set(upload.key, { content, put_at: now(fake) });
  uploads.delete(id);
  return xml(
    `<CompleteMultipartUploadResult><ETag>${etagOf(content)}</ETag></CompleteMultipartUploadResult>`,
  );
}

/** What a request copies: an object, or a range of it. */
function copySource({ objects, bucket }: FakeS3, { headers }: S3Request): Buffer | undefined {
  const { 'x-amz-copy-source': source, 'x-amz-copy-source-range': range } = headers;
  if (typeof source !== 'string') return undefined;
  const found = objects.get(decodeURIComponent(source).replace(`${bucket}/`, ''));
  if (found === undefined) throw new Refusal('NoSuchKey');
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(typeof range === 'string' ? range : '') ?? [];
  return first === undefined ? found.content : found.content.subarray(Number(first), Number(last) + 1);
}

function onObject(fake: FakeS3, asked: S3Request): Answer {
  const { objects } = fake;
  const { key, method, query } = asked;
  if (method === 'DELETE') {
    objects.delete(key);
    return { status: 204 };
  }
  if (method === 'PUT') {
    const copied = copySource(fake, asked);
    const content = copied ?? asked.body;
    objects.set(key, { content, put_at: now(fake) });
    return copied === undefined
      ? { headers: { etag: etagOf(content) } }
      : xml(`<CopyObjectResult><ETag>${etagOf(content)}</ETag></CopyObjectResult>`);
  }
  const found = objects.get(key);
  if (found === undefined) throw new Refusal('NoSuchKey');
  const { content } = found;
  const headers = Object.fromEntries(
    ['content-type', 'content-disposition', 'cache-control'].flatMap((name) => {
      const value = query.get(`response-${name}`);
      return value === null ? [] : [[name, value]];
    }),
  );
  const [, first, last] = /^bytes=(\d+)-(\d+)$/.exec(asked.headers.range ?? '') ?? [];
  if (first === undefined)
    return { headers: { 'content-length': String(content.length), ...headers }, body: content };
  const part = content.subarray(Number(first), Number(last) + 1);
  const end = Number(first) + part.length - 1;
  return {
    status: 206,
    headers: {
      'content-length': String(part.length),
      'content-range': `bytes ${first}-${end}/${content.length}`,
      ...headers,
    },
    body: part,
  };
}
