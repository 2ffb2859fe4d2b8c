/** How a container engine is told to build an image. Pure. */

export interface BuildOrder {
  /** The folder that is built from. */
  readonly context: string;
  /** The path of the Dockerfile. */
  readonly dockerfile: string;
  readonly tag: string;
  readonly args?: Readonly<Record<string, string>> | undefined;
  /** Other platforms than the engine's own, separated by commas. */
  readonly platform?: string | undefined;
  readonly network?: string | undefined;
  /** Whether the newest base is fetched. */
  readonly pull?: boolean;
}

export function buildArguments({
  context,
  dockerfile,
  tag,
  args,
  platform,
  network,
  pull,
}: BuildOrder): string[] {
  return [
    'build',
    '--tag',
    tag,
    '--file',
    dockerfile,
    ...(platform === undefined ? [] : ['--platform', platform]),
    ...(network === undefined ? [] : ['--network', network]),
    ...(pull === true ? ['--pull'] : []),
    ...Object.entries(args ?? {}).flatMap(([name, value]) => ['--build-arg', `${name}=${value}`]),
    context,
  ];
}

/** How Node names the processors that engines name otherwise. */
const processors: Readonly<Record<string, string>> = { x64: 'amd64', arm64: 'arm64' };

/** The platform for which packages are installed on this machine, as engines name it. */
export const platformOf = ({
  platform,
  arch,
}: {
  readonly platform: string;
  readonly arch: string;
}): string => `${platform}/${processors[arch] ?? arch}`;

const MB = 1e6;

export const sizeText = (bytes: number): string => `${Math.round(bytes / MB)} MB`;
