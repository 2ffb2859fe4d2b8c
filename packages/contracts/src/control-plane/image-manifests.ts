import { z } from 'zod';
import { endpoint } from '../endpoints/endpoint.ts';
import { queryInt, queryTexts } from '../values/query-values.ts';
import { WellFormedText } from '../values/well-formed-text.ts';
import { IMAGES_PATH, repositoryParams } from './image-blobs.ts';

/** Images by their manifests, their tags, and what refers to them. */

/** What a registry has to take at least. */
export const MAX_MANIFEST_BYTES = 4_194_304;
export const OCI_MANIFEST = 'application/vnd.oci.image.manifest.v1+json';
export const OCI_INDEX = 'application/vnd.oci.image.index.v1+json';
export const DOCKER_MANIFEST = 'application/vnd.docker.distribution.manifest.v2+json';
export const DOCKER_INDEX = 'application/vnd.docker.distribution.manifest.list.v2+json';
const MEDIA_TYPES = [OCI_MANIFEST, OCI_INDEX, DOCKER_MANIFEST, DOCKER_INDEX];

const params = repositoryParams.extend({
  /** A tag or a digest. */
  reference: WellFormedText.max(300),
});
const Tag = WellFormedText.max(128);

const Descriptor = z.object({
  mediaType: WellFormedText,
  digest: WellFormedText,
  size: z.number(),
  artifactType: WellFormedText.optional(),
  annotations: z.record(z.string(), z.string()).optional(),
});

export const imageManifests = {
  readImageManifest: endpoint({
    method: 'GET',
    path: `${IMAGES_PATH}/manifests/{reference}`,
    summary: 'Read the manifest of an image by its tag or digest, as it was pushed',
    access: 'deployments:read',
    dialect: 'oci',
    params,
    success: { status: 200, media_types: MEDIA_TYPES },
  }),
  putImageManifest: endpoint({
    method: 'PUT',
    path: `${IMAGES_PATH}/manifests/{reference}`,
    summary: 'Push the manifest of an image whose layers have come',
    access: 'deployments:write',
    dialect: 'oci',
    params,
    /** Tags for a manifest that is pushed by its digest. */
    query: z.object({ tag: queryTexts(Tag).optional() }),
    raw: true,
    media_type: OCI_MANIFEST,
    max_body_bytes: MAX_MANIFEST_BYTES,
    success: { status: 201 },
    example: {
      query: { tag: ['latest'] },
      body: {
        schemaVersion: 2,
        mediaType: OCI_MANIFEST,
        config: {
          mediaType: 'application/vnd.oci.empty.v1+json',
          digest: `sha256:${'0'.repeat(64)}`,
          size: 2,
        },
        layers: [],
      },
    },
  }),
  deleteImageManifest: endpoint({
    method: 'DELETE',
    path: `${IMAGES_PATH}/manifests/{reference}`,
    summary: 'Remove a tag, or an image by its digest with all of its tags, unless a revision has it',
    access: 'deployments:admin',
    dialect: 'oci',
    params,
    success: { status: 202 },
  }),
  listImageTags: endpoint({
    method: 'GET',
    path: `${IMAGES_PATH}/tags/list`,
    summary: 'List the tags of a repository in the order of their names',
    access: 'deployments:read',
    dialect: 'oci',
    params: repositoryParams,
    query: z.object({ n: queryInt({ fallback: 1000 }), last: Tag.optional() }),
    success: { status: 200, body: z.object({ name: WellFormedText, tags: z.array(WellFormedText) }) },
    example: { query: { n: '10', last: 'a' } },
  }),
  listImageReferrers: endpoint({
    method: 'GET',
    path: `${IMAGES_PATH}/referrers/{digest}`,
    summary: 'List what refers to an image as its subject, such as signatures',
    access: 'deployments:read',
    dialect: 'oci',
    params: repositoryParams.extend({ digest: WellFormedText.max(300) }),
    query: z.object({
      artifactType: WellFormedText.max(300).optional(),
      /** The digest after which a page begins. */
      last: WellFormedText.max(300).optional(),
    }),
    success: {
      status: 200,
      body: z.object({
        schemaVersion: z.literal(2),
        mediaType: z.literal(OCI_INDEX),
        manifests: z.array(Descriptor),
      }),
    },
    example: { query: { artifactType: 'application/vnd.example+json' } },
  }),
};
