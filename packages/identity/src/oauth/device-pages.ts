import type { Client, KoaContextWithOIDC } from 'oidc-provider';
import { pageHeaders } from '@roadstead/pages';
import type { DeviceCodeFault, OAuthPages } from '../pages/oauth-ports.ts';

const ACTION = '/oauth/device';

/** The names of the library's errors. */
const faults: Readonly<Record<string, DeviceCodeFault>> = {
  NoCodeError: 'missing',
  NotFoundError: 'unknown',
  ExpiredError: 'expired',
  AlreadyUsedError: 'used',
  AbortedError: 'denied',
};

/** The pages of the device flow, as the library asks for them. */
export function deviceFlow(pages: OAuthPages) {
  const show = (ctx: KoaContextWithOIDC, html: string) => {
    ctx.set(pageHeaders());
    ctx.body = html;
  };
  const xsrfOf = ({ oidc }: KoaContextWithOIDC) =>
    (oidc.session?.['state'] as { secret?: string } | undefined)?.secret ?? '';
  const nameOf = (client: Client | undefined) => client?.clientName ?? null;
  return {
    enabled: true,
    userCodeInputSource: async (ctx: KoaContextWithOIDC, _form: string, _out?: unknown, error?: Error) =>
      show(
        ctx,
        pages.deviceCode({
          action: ACTION,
          xsrf: xsrfOf(ctx),
          ...(error === undefined ? {} : { fault: faults[error.name] ?? 'failed' }),
        }),
      ),
    userCodeConfirmSource: async (
      ctx: KoaContextWithOIDC,
      _form: string,
      client: Client,
      _device: unknown,
      user_code: string,
    ) =>
      show(
        ctx,
        pages.deviceConfirm({ action: ACTION, xsrf: xsrfOf(ctx), user_code, client_name: nameOf(client) }),
      ),
    successSource: async (ctx: KoaContextWithOIDC) =>
      show(ctx, pages.deviceDone({ client_name: nameOf(ctx.oidc.client) })),
  };
}
