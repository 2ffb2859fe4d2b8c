/**
 * Within a page: when things come in sight, and how its frames go. What is looked for is named by a selector, and by a text
 * where that counts; the policy of the console lets no page make code of a text.
 */

/** A clock of the browser is coarser than a frame. */
const EARLY_MS = 1;

const isInSight = ({ selector, text }) => {
  const found = document.querySelector(selector);
  return found !== null && (text === undefined || found.textContent.includes(text));
};

const nextFrame = () => new Promise((done) => requestAnimationFrame(done));

const sharesOf = (gaps) => {
  const within = (most_ms) => gaps.filter((gap) => gap <= most_ms + EARLY_MS).length / gaps.length;
  return {
    frames: gaps.length,
    at_60: within(1000 / 60),
    at_30: within(1000 / 30),
    longest_ms: Math.max(...gaps),
  };
};

globalThis.pageClock = {
  /** From the next click or key on, until all marks are in sight. Tells when each was, and the longest frame until then. */
  arm(marks, patience_ms) {
    this.watched = new Promise((done, fail) => {
      const begin = async ({ timeStamp }) => {
        removeEventListener('click', begin, true);
        removeEventListener('keydown', begin, true);
        const seen = {};
        let longest_ms = 0;
        let last = performance.now();
        while (Object.keys(marks).some((name) => seen[name] === undefined)) {
          await nextFrame();
          const now = performance.now();
          if (now - timeStamp > patience_ms)
            return fail(
              new Error(
                `Not in sight after ${patience_ms} ms: ${JSON.stringify(marks)}; seen: ${JSON.stringify(seen)}`,
              ),
            );
          longest_ms = Math.max(longest_ms, now - last);
          last = now;
          for (const [name, mark] of Object.entries(marks))
            if (seen[name] === undefined && isInSight(mark)) seen[name] = now - timeStamp;
        }
        done({ seen, longest_ms });
      };
      addEventListener('click', begin, true);
      addEventListener('keydown', begin, true);
    });
  },

  /** Scrolls by so many pixels a frame, down and up again; without a selector nothing moves. */
  async scroll({ selector, px, ms }) {
    const element = selector === undefined ? undefined : document.querySelector(selector);
    const gaps = [];
    let down = px;
    const until = performance.now() + ms;
    for (let last = await nextFrame(); last < until;) {
      if (element !== undefined) {
        const before = element.scrollTop;
        element.scrollTop += down;
        if (element.scrollTop === before) down = -down;
      }
      const now = await nextFrame();
      gaps.push(now - last);
      last = now;
    }
    return sharesOf(gaps);
  },
};
