/** The release of uv that we bring: one program for each platform, in a wheel, with the hash of the wheel. */
export const VERSION = '0.13.9';

/** The oldest uv on the PATH that is used: it exports `pylock.toml`, and the local packages of a lock file. */
export const OLDEST = [0, 11, 0] as const;

export function isNewEnough(version: string): boolean {
  const parts = version.split('.').map(Number);
  const at = OLDEST.findIndex((part, place) => parts[place] !== part);
  return at === -1 || (parts[at] ?? 0) > (OLDEST[at] ?? 0);
}

interface Wheel {
  readonly file: string;
  readonly sha256: string;
}

const wheel = (tag: string, sha256: string): Wheel => ({ file: `uv-${VERSION}-py3-none-${tag}.whl`, sha256 });

/** Each platform and processor, as Node names them. The wheels of Linux are linked statically, so that they run on any. */
export const wheels: Readonly<Record<string, Wheel>> = {
  'darwin-arm64': wheel(
    'macosx_11_0_arm64',
    '66c512266d633bef48384a1f53003f41f2a8e7b36fe6e7fbfd3e0fd52d96fa63',
  ),
  'darwin-x64': wheel(
    'macosx_10_12_x86_64',
    'c16ed11e013557536b3e60065f1b912f6407bd6518e041b961e23ef9e6b4fbf5',
  ),
  'linux-arm64': wheel(
    'manylinux_2_17_aarch64.manylinux2014_aarch64.musllinux_1_1_aarch64',
    '5435c5ce14a56431208ca0996416d310f1598e8c2c8ba707688985a16bb82dbe',
  ),
  'linux-x64': wheel(
    'musllinux_1_1_x86_64',
    '2c45530751517d6c3bbc69a19473f6effe47cce047bede01ffd8af7ea7b36b25',
  ),
};

/** The program in a wheel. */
export const MEMBER = `uv-${VERSION}.data/scripts/uv`;
