import { expect, test } from 'vitest';
import { patchOf, settingsOf } from './settings-rules.ts';

test('when some values are changed, then only they are sent, each where it belongs', () => {
  const present = {
    display_name: 'A',
    'source_config.build_on_push': false,
    'source_config.build_command': '',
  };
  const values = {
    display_name: 'A',
    'source_config.build_on_push': true,
    'source_config.build_command': 'make',
  };
  expect(patchOf(present, values)).toEqual({ source_config: { build_on_push: true, build_command: 'make' } });
});

test.each([
  ['internal_template', ['display_name']],
  ['external_image', ['display_name', 'source_revision_config.image_uri', 'source_config.custom_url']],
  ['internal_image', ['display_name', 'source_revision_config.image_uri']],
] as const)('when the source is %s, then its settings are %j', (source, fields) => {
  expect(settingsOf(source).map(({ field }) => field)).toEqual(fields);
});
