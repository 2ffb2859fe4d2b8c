import { expect, test } from 'vitest';
import {
  digestOfPinned,
  imageReferenceOf,
  isIdOrPart,
  isPinned,
  pinnedName,
  pushedFor,
  textOf,
} from './image-reference-rules.ts';

const DIGEST = `sha256:${'ab'.repeat(32)}`;
const ID = `sha256:${'cd'.repeat(32)}`;

test.each([
  ['busybox', 'docker.io/library/busybox:latest'],
  ['busybox:1.36', 'docker.io/library/busybox:1.36'],
  ['team/agent', 'docker.io/team/agent:latest'],
  ['docker.io/busybox', 'docker.io/library/busybox:latest'],
  ['index.docker.io/team/agent:1', 'docker.io/team/agent:1'],
  ['localhost/agent:1', 'localhost/agent:1'],
  ['localhost:5000/agent', 'localhost:5000/agent:latest'],
  ['registry.test:5000/a/b/c:2', 'registry.test:5000/a/b/c:2'],
  [`registry.test/agent:2@${DIGEST}`, `registry.test/agent@${DIGEST}`],
])('when an image is named %s, then that is %s', (image_uri, text) => {
  expect(textOf(imageReferenceOf(image_uri))).toBe(text);
  expect(textOf(imageReferenceOf(text))).toBe(text);
});

test('when an image is of a registry, then it is pinned by its digest there, else by its id', () => {
  const repository_digests = [`other.test/agent@${ID}`, `agent@${DIGEST}`];
  expect(pinnedName('agent:1', { id: ID, repository_digests })).toBe(`docker.io/library/agent@${DIGEST}`);
  expect(pinnedName('mine.test/agent:1', { id: ID, repository_digests })).toBe(ID);
  expect(pinnedName('agent:1', { id: ID, repository_digests: [] })).toBe(ID);
  // One image may have several digests at one place.
  expect(pinnedName(`agent@${ID}`, { id: ID, repository_digests })).toBe(`docker.io/library/agent@${ID}`);
});

test.each([
  [ID, ID],
  [`registry.test/agent@${DIGEST}`, DIGEST],
])('when %s is pinned, then its digest is %s', (image_uri, digest) => {
  expect([isPinned(image_uri), digestOfPinned(image_uri)]).toEqual([true, digest]);
  expect(isPinned('agent:1')).toBe(false);
});

const A = '11111111-1111-4111-8111-111111111111';
const B = '22222222-2222-4222-8222-222222222222';
const C = '33333333-3333-4333-8333-333333333333';

test.each([
  [`registry.test/images/${A}/${B}/agent:1`, B],
  [`registry.test/${A}/${B}/agent@${DIGEST}`, B],
  // The path of the operator's registry ends in one.
  [`registry.test/${A}/${B}/${C}/agent:1`, C],
  [`registry.test/${A}/${B}`, undefined],
  [`registry.test/${A}/${B}/agent/more`, undefined],
  [`registry.test/${A}/agent`, undefined],
])('when an image is named %s, then it was pushed for %s', (image_uri, deployment_id) => {
  expect(pushedFor(imageReferenceOf(image_uri))).toBe(deployment_id);
});

test.each([
  [ID, true],
  ['c', true],
  ['sha256:cd', true],
  ['agent', false],
  ['cafe', false],
  ['sha256:cafe', false],
  [`registry.test/agent@${DIGEST}`, false],
])('when an image is named %s, then that is its id, or a part of it: %s', (image_uri, is_id) => {
  expect(isIdOrPart(image_uri, ID)).toBe(is_id);
  expect(isIdOrPart(image_uri, ID.slice(7))).toBe(is_id);
});
