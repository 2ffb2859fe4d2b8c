import { execFile } from 'node:child_process';
import { mkdir, mkdtemp, rm, symlink, writeFile } from 'node:fs/promises';
import { tmpdir } from 'node:os';
import { dirname, join } from 'node:path';
import { promisify } from 'node:util';

const environment = {
  PATH: process.env['PATH'],
  HOME: '/nonexistent',
  GIT_CONFIG_NOSYSTEM: '1',
  GIT_CONFIG_GLOBAL: '/dev/null',
  GIT_AUTHOR_NAME: 'Test',
  GIT_AUTHOR_EMAIL: 'test@example.com',
  GIT_COMMITTER_NAME: 'Test',
  GIT_COMMITTER_EMAIL: 'test@example.com',
};

/** A repository on this machine that a test's hosts serve, made by git itself. */
export class TestRepository implements AsyncDisposable {
  /** The bare repository is below it, under the name of its path on hosts. */
  readonly root: string;
  readonly #work: string;

  static async open(): Promise<TestRepository> {
    const root = await mkdtemp(join(tmpdir(), 'repository-'));
    const repository = new TestRepository(root);
    await mkdir(repository.#work);
    await repository.git('init', '--quiet', '--initial-branch=main');
    await repository.git('init', '--quiet', '--bare', '--initial-branch=main', repository.path);
    await repository.git('remote', 'add', 'origin', repository.path);
    return repository;
  }

  private constructor(root: string) {
    this.root = root;
    this.#work = join(root, 'work');
  }

  /** The bare repository. */
  get path(): string {
    return join(this.root, 'one', 'agent.git');
  }

  get work(): string {
    return this.#work;
  }

  async git(...args: readonly string[]): Promise<string> {
    const { stdout } = await promisify(execFile)('git', args, { cwd: this.#work, env: environment });
    return stdout.trim();
  }

  /** Configures the bare repository. */
  async configure(key: string, value: string): Promise<void> {
    await this.git('--git-dir', this.path, 'config', key, value);
  }

  async write(files: Readonly<Record<string, string | { readonly link: string }>>): Promise<void> {
    for (const [path, content] of Object.entries(files)) {
      const at = join(this.#work, path);
      await mkdir(dirname(at), { recursive: true });
      if (typeof content === 'string') await writeFile(at, content);
      else await symlink(content.link, at);
    }
  }

  /** Commits everything in the work folder, and force-pushes it; answers the commit's id. */
  async commit(
    files: Parameters<TestRepository['write']>[0] = {},
    { branch = 'main' }: { readonly branch?: string } = {},
  ): Promise<string> {
    await this.write(files);
    await this.git('add', '--all', '--force');
    await this.git('commit', '--quiet', '--allow-empty', '--message', 'A commit');
    return this.push(branch);
  }

  async push(branch = 'main'): Promise<string> {
    await this.git('push', '--quiet', '--force', 'origin', `HEAD:refs/heads/${branch}`);
    return this.git('rev-parse', 'HEAD');
  }

  /** Writes a tree with given entries, which git would not create from files. */
  async tree(entries: string): Promise<string> {
    const made = promisify(execFile)('git', ['mktree'], { cwd: this.#work, env: environment });
    made.child.stdin?.end(entries);
    return (await made).stdout.trim();
  }

  /** Removes objects that nothing refers to any more. */
  async prune(): Promise<void> {
    await this.git('--git-dir', this.path, 'reflog', 'expire', '--expire=now', '--all');
    await this.git('--git-dir', this.path, 'gc', '--quiet', '--prune=now');
  }

  async [Symbol.asyncDispose](): Promise<void> {
    await rm(this.root, { recursive: true, force: true, maxRetries: 10 });
  }
}
