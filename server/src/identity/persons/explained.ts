/** Who had the handle, or the group that was missing, may change again between the failure and its explanation. */
const maxTries = 5

/** Runs `work`. Of its failure `explain` throws what the caller is told; where it finds no cause any more, `work` runs again. */
export async function explained<Result>(
  work: () => Promise<Result>,
  explain: (failure: unknown) => Promise<void>,
): Promise<Result> {
  for (let tries = 1; ; tries++) {
    try {
      return await work()
    } catch (failure) {
      if (tries === maxTries) throw failure
      await explain(failure)
    }
  }
}
