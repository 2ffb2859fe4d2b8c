export * from './blobs.ts';
export {
  BLOB_STORES,
  type BlobsPlace,
  type BlobStore,
  blobsSettings,
  checkBlobsPlace,
  folderPlace,
  openBlobs,
  openPlaces,
  readBlobsPlace,
  readPlace,
} from './blobs-place.ts';
export { redirectToBlob } from './download-redirect.ts';
export { openFolderBlobs } from './folder-blobs.ts';
export { moveBlobs, type MoveReport } from './move-blobs.ts';
