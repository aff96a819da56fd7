/** What changes nothing at the service: it looks, finds, copies, or belongs to the browser. */
export const harmless =
  /^(.*Switch organization|Menu|Go to….*|Theme: \w+|Keyboard shortcuts|Sign out|Skip to the page|Refresh|Clear|Newest|Newer|Older|Export CSV|Filters.*|Later|From the beginning|Previous|Next|Look again|Last (hour|24 hours|7 days)|Copy.*|Show.*|Hide.*|Cancel|Back|Pause|Resume|Follow.*|\d+ (hour|days?)|24 hours|7 days|Wrap.*|Try again)$/
