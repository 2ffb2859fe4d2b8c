import { describe, expect, test } from 'vitest';
import { createGuardedFetch } from '@roadstead/outbound';
import type { WebhookSettings } from '@roadstead/contracts/langgraph-json';
import { checkWebhook, webhookCheck, webhookSecrets } from './webhook-rules.ts';

type UrlRules = NonNullable<WebhookSettings['url']>;

const settings = (url: Partial<UrlRules> = {}): WebhookSettings => ({
  env_prefix: 'LG_WEBHOOK_',
  headers: {},
  url: {
    require_https: false,
    allowed_domains: null,
    allowed_ports: null,
    max_url_length: null,
    disable_loopback: false,
    ...url,
  },
});

describe('an address', () => {
  test.each<[string, Partial<UrlRules>]>([
    ['https://a.example/hook?token=1', {}],
    ['http://a.example:8080/hook', {}],
    ['/own/hook', {}],
    ['https://a.example', { require_https: true, allowed_domains: ['a.example'], allowed_ports: [443] }],
    ['https://x.y.a.example/', { allowed_domains: ['*.a.example'] }],
    ['https://A.example/', { allowed_domains: ['A.EXAMPLE'] }],
  ])('when the address is %s, then it is fine under %j', (url, rules) => {
    expect(() => checkWebhook(url, settings(rules))).not.toThrow();
  });

  test.each<[string, Partial<UrlRules>, RegExp]>([
    ['hook', {}, /begins with https/],
    ['ftp://a.example', {}, /begins with https/],
    ['javascript:alert(1)', {}, /begins with https/],
    ['//a.example/hook', {}, /begins with https/],
    ['/\\a.example', {}, /begins with https/],
    ['https://me:pass@a.example', {}, /password/],
    ['http://a.example', { require_https: true }, /https/],
    ['https://b.example', { allowed_domains: ['a.example'] }, /host/],
    ['https://a.example', { allowed_domains: ['*.a.example'] }, /host/],
    ['https://evila.example', { allowed_domains: ['*.a.example', 'a.example'] }, /host/],
    ['https://a.example:8443', { allowed_ports: [443] }, /port/],
    ['https://a.example/long', { max_url_length: 10 }, /10 characters/],
    ['/own', { disable_loopback: true }, /path/],
  ])('when the address is %s, then it is refused under %j', (url, rules, sentence) => {
    expect(() => checkWebhook(url, settings(rules))).toThrow(sentence);
    expect(() => checkWebhook(url, settings(rules))).toThrow(
      expect.objectContaining({
        kind: 'malformed',
        issues: [expect.objectContaining({ loc: ['body', 'webhook'] })],
      }),
    );
  });
});

describe('headers', () => {
  const withHeaders = (headers: Record<string, string>) => ({ ...settings(), headers });
  const environment = { LG_WEBHOOK_TOKEN: 'abc', OTHER: 'x', LG_WEBHOOK_BAD: 'a\nb' };

  test('when headers name variables, then they have their values', () => {
    const given = withHeaders({ Authorization: 'Bearer ${{ env.LG_WEBHOOK_TOKEN }}', 'X-Plain': 'as it is' });
    expect(webhookSecrets(given, environment)).toEqual({
      headers: { authorization: 'Bearer abc', 'x-plain': 'as it is' },
      secrets: [],
    });
    expect(webhookSecrets(null, environment)).toEqual({ headers: {}, secrets: [] });
  });

  test.each([
    ['${{ env.LG_WEBHOOK_NONE }}', /LG_WEBHOOK_NONE, which the deployment does not have/],
    ['${{ env.OTHER }}', /begin with LG_WEBHOOK_/],
    ['${{ env.toString }}', /begin with/],
    ['${{ env.LG_WEBHOOK_BAD }}', /no header/],
  ])('when a header is %s, then it is refused in words', (template, sentence) => {
    expect(() => webhookSecrets(withHeaders({ 'X-A': template }), environment)).toThrow(sentence);
  });
});

test('when the secrets that sign change, then their variable may hold several', () => {
  const [one, two] = ['whsec_MfKQ9r8GKYqrTwjUPD8ILPZIo2LaLaSw', 'whsec_AAAAAAAAAAAAAAAAAAAAAAAAAAAAAAAA'];
  const secrets = (value: string) => webhookSecrets(null, { LG_WEBHOOK_SIGNING_SECRET: value }).secrets;
  expect(secrets(`${one}, ${two}`)).toEqual([one, two]);
  expect(() => secrets('hunter2')).toThrow(/LG_WEBHOOK_SIGNING_SECRET must hold/);
});

describe('before it is called', () => {
  const check = (disabled: boolean) =>
    webhookCheck({
      serving: () => ({ settings: settings({ allowed_ports: [443, 80] }), disabled }),
      checkAddress: createGuardedFetch({ allowed_hosts: ['192.168.7.0/24'] }).check,
    });

  test.each(['https://a.example/hook', '/own/hook', 'http://192.168.7.7/'])(
    'when the address %s is checked, then it may be given',
    (url) => {
      expect(() => check(false)(url)).not.toThrow();
    },
  );

  test.each<[string, boolean, RegExp]>([
    ['https://a.example/hook', true, /disable_webhooks/],
    ['/own/hook', true, /disable_webhooks/],
    ['https://a.example:8443/', false, /port/],
    ['http://169.254.169.254/latest/meta-data', false, /public internet/],
    ['http://[::ffff:10.0.0.1]/', false, /public internet/],
    ['http://localhost/', false, /public internet/],
  ])('when the address is %s, then it may not be given, with webhooks off: %s', (url, disabled, sentence) => {
    const issues = [
      expect.objectContaining({ loc: ['body', 'webhook'], msg: expect.stringMatching(sentence) }),
    ];
    expect(() => check(disabled)(url)).toThrow(expect.objectContaining({ kind: 'malformed', issues }));
  });
});
