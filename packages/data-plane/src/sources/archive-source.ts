import { rm } from 'node:fs/promises';
import { unpackSource } from '@roadstead/archives';
import type { FetchSource } from '../ports/source.ts';
import { download } from '../steps/transfer.ts';

const MAX_SOURCE_BYTES = 209_715_200;

/** A gzip tar at a signed address. */
export const fetchArchive: FetchSource<'archive'> = async ({ url, digest }, { folder, signal }) => {
  const archive = `${folder}.source.tgz`;
  try {
    await download(url, { file: archive, digest, max_bytes: MAX_SOURCE_BYTES, signal });
    await unpackSource(archive, folder, { signal });
  } finally {
    await rm(archive, { force: true });
  }
};
