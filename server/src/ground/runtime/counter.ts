/** A count in total and for each organization. */
export function createCounter() {
  const counts = new Map<string, number>()
  let total = 0
  const change = (organizationId: string, by: number) => {
    const count = (counts.get(organizationId) ?? 0) + by
    total += by
    if (count > 0) counts.set(organizationId, count)
    else counts.delete(organizationId)
  }
  return {
    add: (organizationId: string, count = 1) => change(organizationId, count),
    remove: (organizationId: string, count = 1) => change(organizationId, -count),
    total: () => total,
    of: (organizationId: string) => counts.get(organizationId) ?? 0,
    /** The organizations whose count is at least `threshold`. */
    from: (threshold: number) =>
      [...counts].filter(([, count]) => count >= threshold).map(([organizationId]) => organizationId),
  }
}
