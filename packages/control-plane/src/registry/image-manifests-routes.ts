import { type imageManifests, MAX_MANIFEST_BYTES, OCI_INDEX } from '@roadstead/contracts/control-plane';
import { type Handlers, jsonResponse, readBytes } from '@roadstead/http';
import type { Context } from '../context/context.ts';
import { readDigest, readReference, readTag } from './digest-rules.ts';
import { pushPlaceOf, readPushRepository, readRepository } from './image-access.ts';
import { readManifestAt, receiveManifest, removeManifest } from './image-manifest-work.ts';
import { nameOf } from './image-name-rules.ts';
import { listReferrers, listTags, type ReferrerRow } from './manifest-store.ts';

type ManifestHandlers = Handlers<typeof imageManifests>;

const TAGS_AT_ONCE = 1000;
const REFERRERS_AT_ONCE = 1000;

export function imageManifestHandlers(context: Context): ManifestHandlers {
  return {
    readImageManifest: async (call) => {
      const at = await readRepository(context, call);
      const reference = readReference(call.params.reference);
      const { digest, media_type, body } = await readManifestAt(context, { at, reference });
      return new Response(call.request.method === 'HEAD' ? null : new Uint8Array(body), {
        headers: {
          'content-type': media_type,
          'content-length': String(body.length),
          'docker-content-digest': digest,
          etag: `"${digest}"`,
        },
      });
    },
    putImageManifest: async (call) => {
      const at = await readPushRepository(context, call);
      const reference = readReference(call.params.reference);
      const tags = (call.query.tag ?? []).map(readTag);
      using _place = pushPlaceOf(at.workspace_id);
      const { digest, subject } = await receiveManifest(context, {
        at,
        reference,
        tags,
        content_type: call.request.headers.get('content-type'),
        bytes: await readBytes(call.request, { max_bytes: MAX_MANIFEST_BYTES }),
      });
      return new Response(null, {
        status: 201,
        headers: {
          location: `/v2/${nameOf(at)}/manifests/${digest}`,
          'docker-content-digest': digest,
          ...(subject === null ? {} : { 'oci-subject': subject }),
          ...(tags.length === 0 ? {} : { 'oci-tag': tags.join(', ') }),
        },
      });
    },
    deleteImageManifest: async (call) => {
      const at = await readRepository(context, call);
      await removeManifest(context, { at, reference: readReference(call.params.reference) });
      return new Response(null, { status: 202 });
    },
    listImageTags: (call) => tagsPage(context, call),
    listImageReferrers: (call) => referrersPage(context, call),
  };
}

async function tagsPage(
  context: Pick<Context, 'db'>,
  call: Parameters<ManifestHandlers['listImageTags']>[0],
): Promise<Response> {
  const at = await readRepository(context, call);
  const limit = Math.min(call.query.n, TAGS_AT_ONCE);
  const tags = limit === 0 ? [] : await listTags(context.db, at, { limit: limit + 1, last: call.query.last });
  const page = tags.slice(0, limit);
  const next =
    tags.length > limit ? new URLSearchParams({ n: String(limit), last: page.at(-1) ?? '' }) : undefined;
  return jsonResponse(JSON.stringify({ name: nameOf(at), tags: page }), {
    headers: next === undefined ? {} : { link: linkTo(`/v2/${nameOf(at)}/tags/list`, next) },
  });
}

async function referrersPage(
  context: Pick<Context, 'db'>,
  call: Parameters<ManifestHandlers['listImageReferrers']>[0],
): Promise<Response> {
  const at = await readRepository(context, call);
  const subject = readDigest(call.params.digest);
  const { artifactType, last } = call.query;
  const rows = await listReferrers(context.db, at, {
    subject,
    artifact_type: artifactType,
    last,
    limit: REFERRERS_AT_ONCE,
    max_bytes: MAX_MANIFEST_BYTES,
  });
  const end = rows.at(-1)?.digest;
  const of = { subject, limit: 1, artifact_type: artifactType, last: end, max_bytes: 0 };
  const has_more = end !== undefined && (await listReferrers(context.db, at, of)).length > 0;
  const filter = artifactType === undefined ? {} : { artifactType };
  const next = has_more ? new URLSearchParams({ ...filter, last: end }) : undefined;
  return jsonResponse(indexOf(rows), {
    headers: {
      'content-type': OCI_INDEX,
      ...(artifactType === undefined ? {} : { 'oci-filters-applied': 'artifactType' }),
      ...(next === undefined ? {} : { link: linkTo(`/v2/${nameOf(at)}/referrers/${subject}`, next) }),
    },
  });
}

const linkTo = (path: string, query: URLSearchParams) => `<${path}?${query.toString()}>; rel="next"`;

/** What is listed is JSON already, and may be large. */
function indexOf(rows: readonly ReferrerRow[]): string {
  const manifests = rows.map(({ media_type, digest, size, artifact_type, annotations }) => {
    const fields = {
      mediaType: media_type,
      digest,
      size,
      ...(artifact_type === null ? {} : { artifactType: artifact_type }),
    };
    const text = JSON.stringify(fields);
    return annotations === null || annotations === '{}'
      ? text
      : `${text.slice(0, -1)},"annotations":${annotations}}`;
  });
  return `{"schemaVersion":2,"mediaType":"${OCI_INDEX}","manifests":[${manifests.join(',')}]}`;
}
