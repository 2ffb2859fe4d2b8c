import { expect, test } from 'vitest';
import { Port } from './service-settings.ts';

test.each([0, 4100, 8080, 65_535])('when the port is %i, then it may be listened on', (port) => {
  expect(Port.safeParse(String(port)).success).toBe(true);
});

test.each([25, 2049, 4190, 6000, 6666, 10_080])(
  'when the port is %i, which fetch refuses, then it is refused',
  async (port) => {
    const refusal = await fetch(`http://127.0.0.1:${port}`).catch((error: Error) => String(error.cause));
    expect(refusal).toContain('bad port');
    expect(Port.safeParse(String(port)).error?.issues[0]?.message).toContain('choose another');
  },
);
