import { expect, test } from 'vitest';
import { foldersOf, mountTable, parseMounts, type View } from './mount-rules.ts';

const view: View = { root: '/r', reads: [], writes: [], system_entries: [], mounts: [] };
const lines = (more: Partial<View>) => mountTable({ ...view, ...more }).split('\n');

test('when folders are mounted, then they are read-only but for those that may be written to', () => {
  const table = lines({ reads: ['/usr', '/a/artifact'], writes: ['/a/scratch'] });
  expect(table).toContain('/usr /r/usr none rbind,ro,nosuid,nodev 0 0');
  expect(table).toContain('/a/artifact /r/a/artifact none rbind,ro,nosuid,nodev 0 0');
  expect(table).toContain('/a/scratch /r/a/scratch none rbind,nosuid,nodev 0 0');
});

test('when folders or mounts lie in a read-only folder, then they are read-only and shown once', () => {
  const mounts = [{ path: '/usr/local', options: ['rw'] }];
  const table = lines({ reads: ['/usr/lib', '/usr'], mounts }).filter((line) => line.includes('/r/usr'));
  expect(table).toEqual([
    '/usr /r/usr none rbind,ro,nosuid,nodev 0 0',
    '/usr/local /r/usr/local none rbind,ro,nosuid,nodev 0 0',
  ]);
});

test('when a name only begins with another folder’s, then it does not lie in that folder', () => {
  const table = lines({ reads: ['/usr', '/usrlocal'] }).filter((line) => line.includes('/r/usr'));
  expect(table).toHaveLength(2);
});

test('when a mount of this machine may not be executed, then it may not be inside either', () => {
  const mounts = [
    { path: '/', options: ['rw'] },
    { path: '/data', options: ['rw', 'noexec'] },
  ];
  const table = lines({ reads: ['/data/artifact', '/usr'], mounts });
  expect(table).toContain('/data/artifact /r/data/artifact none rbind,ro,nosuid,nodev,noexec 0 0');
  expect(table).toContain('/usr /r/usr none rbind,ro,nosuid,nodev 0 0');
});

test('when something lies below /tmp, then /tmp is mounted before it', () => {
  const table = lines({ reads: ['/tmp/artifact'] });
  const at = (path: string) => table.findIndex((line) => line.includes(` /r${path} `));
  expect(at('/tmp')).toBeGreaterThan(-1);
  expect(at('/tmp')).toBeLessThan(at('/tmp/artifact'));
});

test.each([
  ['a b', String.raw`a\040b`],
  ['a\tb', String.raw`a\011b`],
  ['a\nb', String.raw`a\012b`],
  [String.raw`a\b`, String.raw`a\134b`],
  ['a#b', String.raw`a\043b`],
])('when a path holds %j, then it stays one field', (name, written) => {
  expect(lines({ writes: [`/${name}`] })).toContain(`/${written} /r/${written} none rbind,nosuid,nodev 0 0`);
});

test('when folders to mount onto are listed, then they are relative to the root', () => {
  expect(foldersOf({ reads: ['/usr'], writes: ['/a/b'] })).toEqual(
    expect.arrayContaining(['usr', 'a/b', 'proc', 'tmp']),
  );
});

test('when mounts of the machine are read, then they are read as the kernel writes them', () => {
  const text = [
    '27 1 254:0 / / rw,relatime - ext4 /dev/vda rw',
    String.raw`40 27 0:31 / /mnt/a\040b rw,nosuid,noexec shared:1 - tmpfs tmpfs rw`,
    '',
  ].join('\n');
  expect(parseMounts(text)).toEqual([
    { path: '/', options: ['rw', 'relatime'] },
    { path: '/mnt/a b', options: ['rw', 'nosuid', 'noexec'] },
  ]);
});
