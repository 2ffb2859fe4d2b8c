/** What a state means to whoever looks: five tones for all kinds of states. */
export type Tone = 'good' | 'bad' | 'warn' | 'busy' | 'quiet';
