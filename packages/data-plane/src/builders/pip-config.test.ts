import { noSettings } from '@roadstead/uv';
import { expect, test } from 'vitest';
import { limitToProject } from './pip-config.ts';

const place = { work: '/project/boats', file: 'app/pip.conf' };
const WARNING = 'names a path outside the project, which a build does not see: it is ignored';

test.each([
  ['./wheels', ['/project/boats/app/wheels']],
  ['../wheels', ['/project/boats/wheels']],
  ['/project/boats/wheels', ['/project/boats/wheels']],
  ['file:///project/boats/wheels', ['/project/boats/wheels']],
  ['https://boats.test/wheels', ['https://boats.test/wheels']],
  ['/etc', []],
  ['../../wheels', []],
  ['/project/boats/../keys', []],
  ['/project/boats2', []],
  ['file:///etc', []],
  ['file:/etc', []],
  ['file://boats.test/etc', []],
])('when a pip.conf finds packages in %s, then it keeps %j', (link, find_links) => {
  const limited = limitToProject({ ...noSettings, find_links: [link] }, place);
  expect(limited.settings).toEqual({ ...noSettings, find_links });
  expect(limited.warnings).toEqual(find_links.length > 0 ? [] : [`app/pip.conf: find-links ${WARNING}`]);
});

test.each([
  ['boats.pem', '/project/boats/app/boats.pem'],
  ['/etc/shadow', undefined],
])('when a pip.conf trusts %s, then its certificates are %s', (named, certificates) => {
  const limited = limitToProject({ ...noSettings, certificates: named }, place);
  expect(limited.settings.certificates).toBe(certificates);
  expect(limited.warnings).toEqual(certificates === undefined ? [`app/pip.conf: cert ${WARNING}`] : []);
});
