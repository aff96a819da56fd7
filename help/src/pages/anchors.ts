/** The anchors of one page, as GitHub makes them of headings. */
export function createAnchors() {
  const taken = new Set<string>()
  return (heading: string) => {
    const anchor = heading
      .toLowerCase()
      .replace(/[^\p{L}\p{N} _-]/gu, '')
      .replaceAll(' ', '-')
    for (let count = 0; ; count++) {
      const candidate = count ? `${anchor}-${count}` : anchor
      if (taken.has(candidate)) continue
      taken.add(candidate)
      return candidate
    }
  }
}
