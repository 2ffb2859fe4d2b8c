import { expect, test } from 'vitest';
import { nameOfImage, tagOfImage } from './deploy-image.ts';

test.each([
  ['agent', 'agent'],
  ['registry.example.com:5000/team/agent:1.4', 'agent'],
  [`localhost/my_agent.v2@sha256:${'a'.repeat(64)}`, 'my-agent-v2'],
  ['team/--agent--', 'agent'],
])('when an image is named %s, then its deployment is %s', (image_uri, name) => {
  expect(nameOfImage(image_uri)).toBe(name);
});

test.each([
  ['agent', 'latest'],
  ['localhost:5000/agent', 'latest'],
  ['registry.example.com:5000/team/agent:1.4', '1.4'],
  [`agent:1.4@sha256:${'a'.repeat(64)}`, '1.4'],
  [`sha256:${'a'.repeat(64)}`, 'latest'],
])('when %s is pushed, then its tag is %s', (image_uri, tag) => {
  expect(tagOfImage(image_uri)).toBe(tag);
});
