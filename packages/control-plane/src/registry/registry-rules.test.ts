import { DOCKER_INDEX, OCI_INDEX, OCI_MANIFEST } from '@roadstead/contracts/control-plane';
import fc from 'fast-check';
import { expect, test } from 'vitest';
import { descriptorOf, manifestOf } from '../testing/registry-client.ts';
import { isImageName, readReference } from './digest-rules.ts';
import { checkBelow, findNamed, findOwnPath, isPushed, readImageIn } from './image-name-rules.ts';
import { readManifest } from './manifest-rules.ts';
import { lengthOf, rangeOf, readByteRange, readPieceRange } from './range-rules.ts';

const digest = `sha256:${'a'.repeat(64)}`;

test.each([
  [digest, { digest }],
  [`sha512:${'0'.repeat(128)}`, { digest: `sha512:${'0'.repeat(128)}` }],
  ['latest', { tag: 'latest' }],
  ['_1.0-rc.1', { tag: '_1.0-rc.1' }],
])('when %s is a reference, then it is %j', (text, expected) => {
  expect(readReference(text)).toEqual(expected);
});

test.each([
  ['sha256:short', 'DIGEST_INVALID'],
  [`sha256:${'A'.repeat(64)}`, 'DIGEST_INVALID'],
  [`md5:${'a'.repeat(32)}`, 'DIGEST_INVALID'],
  ['-tag', 'TAG_INVALID'],
  ['.tag', 'TAG_INVALID'],
  ['a'.repeat(129), 'TAG_INVALID'],
])('when %s is a reference, then it is refused as %s', (text, code) => {
  expect(() => readReference(text)).toThrow(expect.objectContaining({ code }));
});

test.each([
  ['agent', true],
  ['my-agent__2.x', true],
  ['Agent', false],
  ['-agent', false],
  ['a/b', false],
  ['', false],
  ['a'.repeat(129), false],
])('when an image is named %s, then that is a name: %s', (text, is) => {
  expect(isImageName(text)).toBe(is);
});

test.each([
  [null, undefined],
  ['bytes=0-9', { first: 0, last: 9 }],
  ['bytes=90-', { first: 90, last: 99 }],
  ['bytes=-10', { first: 90, last: 99 }],
  ['bytes=-1000', { first: 0, last: 99 }],
  ['bytes=95-2000', { first: 95, last: 99 }],
  ['bytes=0-1,5-6', undefined],
  ['pieces=1-2', undefined],
])('when %s of 100 bytes is asked for, then it is %j', (header, range) => {
  expect(readByteRange(header, 100)).toEqual(range);
});

test.each(['bytes=100-', 'bytes=9-1', 'bytes=-0'])(
  'when %s of 100 bytes is asked for, then there is no such range',
  (header) => {
    expect(() => readByteRange(header, 100)).toThrow(expect.objectContaining({ kind: 'out_of_range' }));
  },
);

test('when any range is asked for, then what is answered lies within the bytes', () => {
  const isSound = fc.check(
    fc.property(fc.nat(1000), fc.option(fc.nat(2000)), fc.option(fc.nat(2000)), (size, from, to) => {
      try {
        const range = readByteRange(`bytes=${from ?? ''}-${to ?? ''}`, size);
        if (range === undefined) return from === null && to === null;
        return range.first >= 0 && range.last < size && lengthOf(range) > 0;
      } catch (error) {
        return (error as { kind?: string }).kind === 'out_of_range';
      }
    }),
  );
  expect(isSound.failed).toBe(false);
});

test('when pieces are sent with a place, then it is read, and a wrong one is refused', () => {
  const read = (range: string, length = '10') =>
    readPieceRange(new Headers({ 'content-range': range, 'content-length': length }));
  expect(readPieceRange(new Headers())).toBeUndefined();
  expect(read('10-19')).toEqual({ first: 10, last: 19 });
  expect(read('bytes 10-19/*')).toEqual({ first: 10, last: 19 });
  for (const [range, length] of [
    ['19-10', '10'],
    ['10-19', '9'],
    ['ten', '10'],
  ] as const)
    expect(() => read(range, length)).toThrow(expect.objectContaining({ code: 'BLOB_UPLOAD_INVALID' }));
  expect([rangeOf(0), rangeOf(1), rangeOf(100)]).toEqual(['0-0', '0-0', '0-99']);
});

const at = {
  workspace_id: '11111111-1111-4111-8111-111111111111',
  deployment_id: '22222222-2222-4222-8222-222222222222',
};
const folder = `h.test:4100/images/${at.workspace_id}/${at.deployment_id}`;

test.each([
  [`${folder}/agent`, { image: 'agent', reference: { tag: 'latest' } }],
  [`${folder}/agent:1.4`, { image: 'agent', reference: { tag: '1.4' } }],
  [`${folder}/agent:1.4@${digest}`, { image: 'agent', reference: { digest } }],
])('when %s is named, then the image is found', (image_uri, found) => {
  expect(readImageIn(image_uri, folder)).toEqual(found);
  expect(findOwnPath(image_uri, at)).toBe(image_uri.replace('h.test:4100/', ''));
});

test.each([
  'agent',
  'h.test:4100/agent',
  `other.test/images/${at.workspace_id}/${at.deployment_id}/agent`,
  `${folder}x/agent`,
  `${folder}/a/b`,
  folder,
])('when %s is named, then it is not an image of the deployment', (image_uri) => {
  expect(() => readImageIn(image_uri, folder)).toThrow(/must name an image below/);
});

test('when a repository is named, then its parts are told apart', () => {
  const name = `images/${at.workspace_id}/${at.deployment_id}/agent`;
  expect(findNamed(name)).toEqual({ ...at, image: 'agent' });
  for (const other of ['agent', `${name}/more`, `other/${name}`]) expect(findNamed(other)).toBeUndefined();
  expect(() => checkBelow('registry.test/a/b:1', 'registry.test/a')).not.toThrow();
  expect(() => checkBelow('registry.test/a/b/c:1', 'registry.test/a')).toThrow(/one part/);
  expect(() => checkBelow('registry.test/ab:1', 'registry.test/a')).toThrow(/below registry.test\/a\//);
});

test('when a manifest is read, then it tells what has to be there, and what lists say of it', () => {
  const subject = descriptorOf('subject', OCI_MANIFEST);
  const elsewhere = descriptorOf('licensed', 'application/vnd.oci.image.layer.nondistributable.v1.tar+gzip');
  const image = manifestOf(['a', 'b', 'a'], { subject, annotations: { of: 'it' } });
  const read = readManifest(
    { ...image, layers: [...image.layers, elsewhere] },
    `${OCI_MANIFEST}; charset=utf-8`,
  );
  expect(read).toEqual({
    media_type: OCI_MANIFEST,
    blobs: ['{}', 'a', 'b'].map((text) => descriptorOf(text).digest),
    manifests: [],
    subject: subject.digest,
    artifact_type: 'application/vnd.oci.image.config.v1+json',
    annotations: { of: 'it' },
  });
  const index = { schemaVersion: 2, artifactType: 'application/vnd.of.it', manifests: [subject] };
  for (const type of [OCI_INDEX, DOCKER_INDEX])
    expect(readManifest(index, type)).toMatchObject({
      blobs: [],
      manifests: [subject.digest],
      artifact_type: 'application/vnd.of.it',
    });
});

test.each([
  ['no type', manifestOf([]), null],
  ['a type that nobody knows', manifestOf([]), 'application/json'],
  ['another type than it says', manifestOf([]), OCI_INDEX],
  ['two kinds at once', { ...manifestOf([]), manifests: [] }, OCI_MANIFEST],
  ['an old schema', { ...manifestOf([]), schemaVersion: 1 }, OCI_MANIFEST],
  ['a digest that is none', manifestOf([], { config: { ...descriptorOf('{}'), digest: 'x' } }), OCI_MANIFEST],
  ['no layers', { ...manifestOf([]), layers: undefined }, OCI_MANIFEST],
  ['a text', 'manifest', OCI_MANIFEST],
])('when a manifest has %s, then it is refused', (_what, value, type) => {
  expect(() => readManifest(value, type)).toThrow(expect.objectContaining({ code: 'MANIFEST_INVALID' }));
});

const UUIDS = `${at.workspace_id}/${at.deployment_id}`;

test.each([
  [`registry.test/agents/${UUIDS}/agent:1`, true],
  [`registry.test/${UUIDS}/agent@${digest}`, true],
  // The path of the operator's registry ends in one.
  [`registry.test/${at.workspace_id}/${UUIDS}/agent`, true],
  [`registry.test/${UUIDS.toUpperCase()}/agent`, true],
  [`registry.test/${UUIDS}:1`, false],
  [`registry.test/${UUIDS}/agent/more:1`, false],
  [`registry.test/${at.workspace_id}/agent`, false],
])('when an image is named %s, then it was pushed for a deployment: %s', (image_uri, is_pushed) => {
  expect(isPushed(image_uri)).toBe(is_pushed);
});
