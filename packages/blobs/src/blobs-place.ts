import { randomUUID } from 'node:crypto';
import { mkdir } from 'node:fs/promises';
import { join, resolve } from 'node:path';
import { fileURLToPath } from 'node:url';
import { z } from 'zod';
import { awsEnvironment, type Config, type Log, Problem, setting } from '@roadstead/kit';
import type { Blobs } from './blobs.ts';
import { openFolderBlobs } from './folder-blobs.ts';
import { withFormer } from './former-blobs.ts';
import { checkBucket, openS3Blobs } from './s3-blobs.ts';
import type { S3Place } from './s3-bucket.ts';

/** A folder, or a part of a bucket: plain data, which threads can send each other. */
type Place = { readonly kind: 'folder'; readonly path: string } | ({ readonly kind: 's3' } & S3Place);

/** Where all blobs of an installation lie. */
export interface BlobsPlace {
  readonly now: Place;
  /** Where they lay before: read until all have been moved. */
  readonly former: Place | undefined;
}

/** All in one folder. */
export const folderPlace = (path: string): BlobsPlace => ({
  now: { kind: 'folder', path },
  former: undefined,
});

/** The stores that share a place, each with a name below it. */
export type BlobStore = 'blobs' | 'attachments';
export const BLOB_STORES = ['blobs', 'attachments'] as const satisfies readonly BlobStore[];
/** What a place of backups has: other names, so that no installation is taken for one. */
export type BackupStore = 'manifests' | 'tables' | `backup-${BlobStore}`;

const EXAMPLE = 'such as file:/var/lib/roadstead or s3://bucket/prefix';

const BlobsUrl = z.string().transform((text, check) => {
  const place = readUrl(text);
  if (place === undefined) check.addIssue(`must be the address of a folder or a bucket, ${EXAMPLE}`);
  return place ?? z.NEVER;
});

/** A place as its address names it. */
type NamedPlace = z.output<typeof BlobsUrl>;

function readUrl(text: string) {
  try {
    return placeAt(new URL(text), text);
  } catch {
    // No address, or signs in it that stand for nothing.
    return undefined;
  }
}

function placeAt(url: URL, text: string) {
  if (`${url.search}${url.hash}${url.username}${url.password}` !== '') return undefined;
  if (url.protocol === 's3:' && /^[a-z0-9][a-z0-9.-]{1,61}[a-z0-9]$/.test(url.host)) {
    const path = decodeURIComponent(url.pathname).replaceAll(/^\/+|\/+$/g, '');
    return { kind: 's3', bucket: url.host, prefix: path === '' ? '' : `${path}/` } as const;
  }
  // A path that is relative to the folder of whoever starts us would be another one each time.
  if (url.protocol === 'file:' && url.host === '' && /^file:\//i.test(text))
    return { kind: 'folder', path: fileURLToPath(url) } as const;
  return undefined;
}

const Address = z.url({ protocol: /^https?$/ }).transform((url) => url.replace(/\/+$/, ''));

/** Settings of whatever keeps blobs. */
export const blobsSettings = {
  blobs_url: setting({
    env: 'ROADSTEAD_BLOBS_URL',
    doc: `Where sources, artifacts, images and attachments lie: a folder or a bucket of S3, ${EXAMPLE}. The credentials of a bucket are in the usual variables of AWS, or the machine has a role.`,
    schema: BlobsUrl.optional(),
    shown_default: 'file:{ROADSTEAD_DATA_DIR}',
  }),
  former_blobs_url: setting({
    env: 'ROADSTEAD_FORMER_BLOBS_URL',
    doc: 'Where they lay before. What ROADSTEAD_BLOBS_URL lacks is read from here, until `roadstead blobs move` has moved everything.',
    schema: BlobsUrl.optional(),
    shown_default: 'nowhere else',
  }),
  s3_endpoint: setting({
    env: 'ROADSTEAD_S3_ENDPOINT',
    doc: 'Address of the server of the bucket, where it is not Amazon’s.',
    schema: Address.optional(),
    shown_default: 'that of Amazon, by AWS_REGION',
  }),
  s3_public_endpoint: setting({
    env: 'ROADSTEAD_S3_PUBLIC_ENDPOINT',
    doc: 'Address of that server as clients, listeners and nodes reach it: downloads are then redirected there, to addresses that hold for five minutes, unless it is at the host of ROADSTEAD_URL or below that.',
    schema: Address.optional(),
    shown_default: 'unset: downloads pass through Roadstead',
  }),
};

type BlobsConfig = Config<typeof blobsSettings>;

/**
 * Where blobs lie, as the settings say.
 * @param folder where they lie when no setting says so
 * @throws Problem `invalid` where there is no place
 */
export function readBlobsPlace(
  config: BlobsConfig,
  folder: string | undefined,
  { AWS_REGION, AWS_DEFAULT_REGION }: Readonly<Record<string, string>> = awsEnvironment(),
): BlobsPlace {
  if (config.blobs_url === undefined && folder === undefined)
    throw new Problem('invalid', `ROADSTEAD_BLOBS_URL is needed: ${blobsSettings.blobs_url.doc}`);
  const placed = placing(config, { AWS_REGION, AWS_DEFAULT_REGION });
  const { blobs_url: now = { kind: 'folder', path: folder ?? '' }, former_blobs_url: former } = config;
  return { now: placed(now), former: former && placed(former) };
}

/** Adds how a bucket is reached. */
function placing(
  { s3_endpoint: endpoint, s3_public_endpoint: public_endpoint }: BlobsConfig,
  { AWS_REGION, AWS_DEFAULT_REGION }: Readonly<Record<string, string | undefined>>,
) {
  // A server that is not Amazon’s takes any.
  const region = AWS_REGION || AWS_DEFAULT_REGION || (endpoint === undefined ? undefined : 'us-east-1');
  const access = { endpoint, public_endpoint, region };
  return (named: NamedPlace): Place => (named.kind === 's3' ? { ...named, access } : named);
}

/**
 * A place of its own, such as that of backups: a path, or an address as the settings have it.
 * @throws Problem `invalid` where it is neither
 */
export function readPlace(config: BlobsConfig, text: string): BlobsPlace {
  const named = /^[a-z][a-z0-9+.-]+:/i.test(text)
    ? readUrl(text)
    : ({ kind: 'folder', path: resolve(text) } as const);
  if (named === undefined)
    throw new Problem('invalid', `${text} is neither a folder nor the address of a bucket, ${EXAMPLE}.`);
  return { now: placing(config, awsEnvironment())(named), former: undefined };
}

/** @throws Problem `invalid` where a bucket can’t be used as it is configured; of one that is only away the log tells. */
export async function checkBlobsPlace({ now, former }: BlobsPlace, log: Pick<Log, 'warn'>): Promise<void> {
  for (const place of [now, former]) {
    const error = place?.kind === 's3' ? await checkBucket(place) : undefined;
    if (error !== undefined) log.warn('the bucket does not answer', { error });
  }
}

/** Opens one of the stores of a place; what lies in the former place only is found as well. */
export async function openBlobs({ now, former }: BlobsPlace, store: BlobStore | BackupStore): Promise<Blobs> {
  const blobs = await open(now, store);
  return former === undefined ? blobs : withFormer(blobs, await open(former, store));
}

/**
 * Opens a store in the former place and in the place of now, for what moves blobs from one to the other.
 * @throws Problem `invalid` where there is no former place, or it is the same
 */
export async function openPlaces(
  { now, former }: BlobsPlace,
  store: BlobStore,
): Promise<{ readonly from: Blobs; readonly to: Blobs }> {
  if (former === undefined)
    throw new Problem(
      'invalid',
      `ROADSTEAD_FORMER_BLOBS_URL is needed: ${blobsSettings.former_blobs_url.doc}`,
    );
  const places = { from: await open(former, store), to: await open(now, store) };
  if (await areSame(places))
    throw new Problem(
      'invalid',
      'ROADSTEAD_FORMER_BLOBS_URL and ROADSTEAD_BLOBS_URL lead to the same place.',
    );
  return places;
}

/** Tries it: a folder may have several names, and a bucket several addresses. */
async function areSame({ from, to }: { readonly from: Blobs; readonly to: Blobs }): Promise<boolean> {
  const { digest } = await to.put(new Blob([randomUUID()]).stream(), { max_bytes: 100 });
  const isThere = await from.has(digest);
  await to.delete(digest);
  return isThere;
}

async function open(place: Place, store: BlobStore | BackupStore): Promise<Blobs> {
  if (place.kind === 's3') return openS3Blobs({ ...place, prefix: `${place.prefix}${store}/` });
  await mkdir(place.path, { recursive: true, mode: 0o700 });
  return openFolderBlobs(join(place.path, store));
}
