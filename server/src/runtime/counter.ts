/** A count in all and for each organization. */
export function createCounter() {
  const counts = new Map<string, number>()
  let all = 0
  const change = (organizationId: string, by: number) => {
    const count = (counts.get(organizationId) ?? 0) + by
    all += by
    if (count > 0) counts.set(organizationId, count)
    else counts.delete(organizationId)
  }
  return {
    add: (organizationId: string, count = 1) => change(organizationId, count),
    remove: (organizationId: string, count = 1) => change(organizationId, -count),
    total: () => all,
    of: (organizationId: string) => counts.get(organizationId) ?? 0,
    /** Organizations with so many and more. */
    from: (least: number) =>
      [...counts].filter(([, count]) => count >= least).map(([organizationId]) => organizationId),
  }
}
