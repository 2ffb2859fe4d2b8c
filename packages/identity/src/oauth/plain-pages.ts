import type { DeviceCodeFault, OAuthPages } from './oauth-ports.ts';

/** Pages without any looks. */
export const plainPages: OAuthPages = {
  deviceCode: ({ action, xsrf, fault }) =>
    page(
      'Connect a device',
      `<p>${fault === undefined ? 'Enter the code that your device shows.' : sentences[fault]}</p>
<form method="post" action="${action}">${hidden('xsrf', xsrf)}<input name="user_code" autofocus autocomplete="off"><button>Continue</button></form>`,
    ),
  deviceConfirm: ({ action, xsrf, user_code, client_name }) =>
    page(
      'Connect a device',
      `<p>${escaped(client_name ?? 'A device')} shows ${escaped(user_code)}. Continue only if you began this yourself.</p>
<form method="post" action="${action}">${hidden('xsrf', xsrf)}${hidden('user_code', user_code)}<button name="confirm" value="yes">Continue</button><button name="abort" value="yes">Cancel</button></form>`,
    ),
  deviceDone: ({ client_name }) =>
    page(
      'Connected',
      `<p>${escaped(client_name ?? 'The device')} is connected. You can close this page.</p>`,
    ),
  failure: ({ error, description }) =>
    page('This did not work', `<p>${escaped(description)}</p><p><code>${escaped(error)}</code></p>`),
};

const sentences: Readonly<Record<DeviceCodeFault, string>> = {
  missing: 'Enter the code that your device shows.',
  unknown: 'There is no such code. Look at your device again.',
  expired: 'This code has expired. Begin again on your device.',
  used: 'This code was used already. Begin again on your device.',
  denied: 'The device was not connected.',
  failed: 'This did not work. Begin again on your device.',
};

const page = (title: string, body: string) =>
  `<!doctype html><html lang="en"><meta charset="utf-8"><title>${title}</title><h1>${title}</h1>${body}</html>`;
const hidden = (name: string, value: string) =>
  `<input type="hidden" name="${name}" value="${escaped(value)}">`;
const escaped = (text: string) => text.replaceAll(/[&<>"']/g, (one) => `&#${one.charCodeAt(0)};`);
