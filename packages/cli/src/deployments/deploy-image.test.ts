import { expect, test } from 'vitest';
import { nameOfImage } from './deploy-image.ts';

test.each([
  ['agent', 'agent'],
  ['registry.example.com:5000/team/agent:1.4', 'agent'],
  [`localhost/my_agent.v2@sha256:${'a'.repeat(64)}`, 'my-agent-v2'],
  ['team/--agent--', 'agent'],
])('when an image is named %s, then its deployment is %s', (image_uri, name) => {
  expect(nameOfImage(image_uri)).toBe(name);
});
