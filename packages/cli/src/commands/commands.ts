import type { Command } from '../command-line/command.ts';
import { backup } from './backup.ts';
import { blobs } from './blobs.ts';
import { build } from './build.ts';
import { completionOf } from './completion.ts';
import { context, logout } from './context.ts';
import { remove } from './delete.ts';
import { deploy } from './deploy.ts';
import { dev } from './dev.ts';
import { doctor } from './doctor.ts';
import { env } from './env.ts';
import { image } from './image.ts';
import { init } from './init.ts';
import { interrupt } from './interrupt.ts';
import { key } from './key.ts';
import { list } from './list.ts';
import { listener } from './listener.ts';
import { login } from './login.ts';
import { logs } from './logs.ts';
import { mcp } from './mcp.ts';
import { migrate } from './migrate.ts';
import { open } from './open.ts';
import { restore } from './restore.ts';
import { revisions } from './revisions.ts';
import { rollback } from './rollback.ts';
import { secrets } from './secrets.ts';
import { serve } from './serve.ts';
import { status } from './status.ts';
import { traces } from './traces.ts';
import { up } from './up.ts';
import { user } from './user.ts';
import { whoami } from './whoami.ts';

/** Every command, in the order in which a new user needs them. */
export const commands: readonly Command[] = [
  up,
  init,
  dev,
  deploy,
  build,
  list,
  status,
  logs,
  open,
  revisions,
  rollback,
  interrupt,
  env,
  secrets,
  remove,
  restore,
  whoami,
  login,
  logout,
  context,
  key,
  user,
  listener,
  traces,
  mcp,
  serve,
  migrate,
  backup,
  blobs,
  image,
  doctor,
  completionOf(() => commands),
];
