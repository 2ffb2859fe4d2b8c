/** The same five tests for each runner, as its users write them; `ls` is the plugin of the runner. */
export function describeCapitals(ls) {
  const capitals = { Norway: 'Oslo', Peru: 'Lima', Kenya: 'Nairobi' };
  ls.describe('capitals', () => {
    for (const [country, capital] of Object.entries(capitals))
      ls.test(
        `knows ${country}`,
        { inputs: { country }, referenceOutputs: { capital } },
        async ({ inputs, referenceOutputs }) => {
          const answer = capitals[inputs.country];
          ls.logOutputs({ capital: answer });
          ls.logFeedback({ key: 'correct', score: answer === referenceOutputs.capital ? 1 : 0 });
        },
      );
    ls.test.each([
      { inputs: { country: 'Chile' }, referenceOutputs: { capital: 'Santiago' } },
      { inputs: { country: 'Japan' }, referenceOutputs: { capital: 'Tokyo' } },
    ])('knows what it is told', async ({ referenceOutputs }) => {
      const judge = ls.wrapEvaluator(async () => ({ key: 'judged', score: 0.5 }));
      await judge({ outputs: referenceOutputs });
      return referenceOutputs;
    });
  });
}
