import { execFile } from 'node:child_process';
import { mkdtempDisposable, readFile, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { join } from 'node:path';
import { promisify } from 'node:util';
import { Problem } from '@roadstead/kit';

/** Pushes an image of this machine by the command line of its container engine, with a login that is used for this once. */

const run = promisify(execFile);
/** What an engine prints while it pushes. */
const MAX_OUTPUT_BYTES = 10_000_000;

export interface ImagePush {
  /** The image as the engine of this machine names it. */
  readonly image: string;
  /** Its name at the registry, with a tag. */
  readonly remote: string;
  readonly credential: PushCredential;
  /** Whether the registry speaks plain HTTP. */
  readonly is_plain: boolean;
  readonly signal: AbortSignal;
}

/** What the platform gives out for a push. */
interface PushCredential {
  /** A password of the user, or a token that is sent as it is. */
  readonly kind: 'password' | 'bearer';
  readonly username: string;
  readonly token: string;
}

/** Pushes it, and answers its name at the registry: by its digest, where the engine tells that. */
export async function pushImage(push: ImagePush): Promise<string> {
  await using folder = await mkdtempDisposable(join(tmpdir(), 'roadstead-push-'));
  const host = push.remote.split('/', 1)[0] ?? '';
  // The user's own logins and helpers that keep them stay as they are.
  const auths = { [host]: loginOf(push.credential) };
  await writeFile(join(folder.path, 'config.json'), JSON.stringify({ auths }), { mode: 0o600 });
  const engine = await engineOfMachine(push.signal);
  if (engine === 'podman' && push.credential.kind === 'bearer')
    throw new Problem('invalid', `The registry ${host} gives out tokens that podman takes from no file.`, {
      hint: `Log in there, push the image to ${push.remote}, and PATCH source_revision_config.image_uri of the deployment.`,
    });
  await ask(engine, ['tag', push.image, push.remote], push);
  try {
    return await ways[engine](push, folder.path);
  } finally {
    await removeName(engine, push.remote);
  }
}

/** As a file of logins has it. */
const loginOf = ({ kind, username, token }: PushCredential) =>
  kind === 'bearer'
    ? { registrytoken: token }
    : { auth: Buffer.from(`${username}:${token}`).toString('base64') };

type Engine = 'docker' | 'podman';

/** The name alone goes. An image that has no other one, as one that was named by its id, would go with it, and keeps it. */
async function removeName(engine: Engine, remote: string): Promise<void> {
  try {
    if (engine === 'podman') await run(engine, ['untag', remote, remote]);
    else {
      const { stdout } = await run(engine, ['image', 'inspect', '--format', '{{json .RepoTags}}', remote]);
      if ((JSON.parse(stdout) as string[]).length > 1) await run(engine, ['rmi', remote]);
    }
  } catch {
    // A name that stays harms nobody.
  }
}

async function engineOfMachine(signal: AbortSignal): Promise<Engine> {
  for (const engine of ['docker', 'podman'] as const) {
    const found = await run(engine, ['--version'], { signal }).catch((error: NodeJS.ErrnoException) => error);
    if ('code' in found) continue;
    // Podman may stand there by the name of the other.
    return 'stdout' in found && /podman/i.test(found.stdout) ? 'podman' : engine;
  }
  signal.throwIfAborted();
  throw new Problem('invalid', '--push needs the command docker or podman, and neither is on this machine.');
}

const ways: Readonly<Record<Engine, (push: ImagePush, folder: string) => Promise<string>>> = {
  docker: async (push, folder) => {
    // Another configuration has another context: the engine stays the one that the user has chosen.
    const inspected = await run('docker', ['context', 'inspect', '--format', '{{.Endpoints.docker.Host}}'], {
      signal: push.signal,
    }).catch(() => undefined);
    const host = inspected?.stdout.trim() ?? '';
    const at = host === '' ? [] : ['--host', host];
    await ask('docker', ['--config', folder, ...at, 'push', push.remote], push);
    const format = ['--format', '{{json .RepoDigests}}'];
    const digests = JSON.parse(await ask('docker', ['image', 'inspect', ...format, push.remote], push)) as
      | string[]
      | null;
    const repository = push.remote.slice(0, push.remote.lastIndexOf(':'));
    return digests?.find((one) => one.startsWith(`${repository}@`)) ?? push.remote;
  },
  podman: async (push, folder) => {
    const digest_file = join(folder, 'digest');
    const options = ['--authfile', join(folder, 'config.json'), '--digestfile', digest_file];
    const plain = push.is_plain ? ['--tls-verify=false'] : [];
    await ask('podman', ['push', ...options, ...plain, push.remote], push);
    const digest = (await readFile(digest_file, 'utf8')).trim();
    return `${push.remote.slice(0, push.remote.lastIndexOf(':'))}@${digest}`;
  },
};

/** @throws Problem with the engine's last words */
async function ask(
  engine: Engine,
  args: readonly string[],
  { signal }: Pick<ImagePush, 'signal'>,
): Promise<string> {
  try {
    return (await run(engine, args, { signal, maxBuffer: MAX_OUTPUT_BYTES })).stdout;
  } catch (error) {
    signal.throwIfAborted();
    const said = ((error as { stderr?: string }).stderr ?? '').trim();
    const last = said.slice(said.lastIndexOf('\n') + 1);
    throw new Problem(
      'invalid',
      `${engine} could not push the image: ${last === '' ? 'it says nothing' : last}`,
      {
        cause: error,
      },
    );
  }
}
