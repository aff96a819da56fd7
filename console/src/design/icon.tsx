/** Drawn for Signet: each in a square of 20, as lines of one width. */
const drawings = {
  home: 'M3 9.5 10 3.5l7 6M5 8.5V16.5h10V8.5M8.5 16.5v-4.5h3v4.5',
  webhooks:
    'M6.5 12.5a3 3 0 1 0 3 3h4.5M10 4.5a3 3 0 0 1 2.5 4.6l2 3.4M7.5 8.8A3 3 0 0 1 10 4.5M9.7 8.2l-2.9 5M15.5 12.5a3 3 0 1 1-2.3 5',
  deliveries: 'M3 6.5 10 3l7 3.5v7L10 17l-7-3.5zM3 6.5l7 3.5 7-3.5M10 10v7',
  events: 'M2.5 10h3.5l2.5-6 3.5 12 2.5-6h3',
  persons: 'M10 9.5a3 3 0 1 0 0-6 3 3 0 0 0 0 6zM4 17c.4-3.2 2.7-5 6-5s5.6 1.8 6 5',
  groups:
    'M7.5 9.5a2.6 2.6 0 1 0 0-5.2 2.6 2.6 0 0 0 0 5.2zM2.5 16c.3-2.8 2.2-4.3 5-4.3s4.7 1.5 5 4.3M13 4.7a2.4 2.4 0 0 1 0 4.5M14.5 12c1.7.5 2.7 1.8 3 4',
  'sign-in': 'M11.5 3.5h4a1 1 0 0 1 1 1v11a1 1 0 0 1-1 1h-4M3 10h9M9 6.5l3.5 3.5L9 13.5',
  keys: 'M7 13.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM10.5 10H17v3M14 10v2',
  'audit-log': 'M5 3.5h10v13H5zM7.5 7h5M7.5 10h5M7.5 13h3',
  settings: 'M3 6h8M14.5 6H17M3 14h2.5M9 14h8M12.7 8a2 2 0 1 0 0-4 2 2 0 0 0 0 4zM7.3 16a2 2 0 1 0 0-4 2 2 0 0 0 0 4z',
  organizations: 'M4 16.5V4.5h7v12M11 8.5h5v8M2.5 16.5h15M6.5 7.5h2M6.5 10.5h2M6.5 13.5h2M13.5 11.5h.5M13.5 14h.5',
  search: 'M9 14.5a5.5 5.5 0 1 0 0-11 5.5 5.5 0 0 0 0 11zM13 13l4 4',
  copy: 'M7.5 7.5h9v9h-9zM4.5 12.5h-1v-9h9v1',
  check: 'M4 10.5 8.5 15 16 5.5',
  cross: 'M5 5l10 10M15 5 5 15',
  plus: 'M10 4v12M4 10h12',
  more: 'M4.5 10h.01M10 10h.01M15.5 10h.01',
  menu: 'M3 5.5h14M3 10h14M3 14.5h14',
  sun: 'M10 13.5a3.5 3.5 0 1 0 0-7 3.5 3.5 0 0 0 0 7zM10 2v2M10 16v2M2 10h2M16 10h2M4.3 4.3l1.4 1.4M14.3 14.3l1.4 1.4M4.3 15.7l1.4-1.4M14.3 5.7l1.4-1.4',
  moon: 'M16 11.5A6.5 6.5 0 1 1 8.5 4a5 5 0 0 0 7.5 7.5z',
  system: 'M3 4.5h14v9H3zM7 16.5h6M10 13.5v3',
  alert: 'M10 3.5 17.5 16.5h-15zM10 8.5v3.5M10 14.3h.01',
  info: 'M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM10 9.5V13.5M10 6.7h.01',
  help: 'M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM8 8.2a2 2 0 1 1 2.9 1.8c-.6.3-.9.7-.9 1.3M10 13.8h.01',
  refresh: 'M16 10a6 6 0 1 1-1.7-4.2L16 7.5M16 3.5v4h-4',
  right: 'M7.5 4.5 13 10l-5.5 5.5',
  left: 'M12.5 4.5 7 10l5.5 5.5',
  down: 'M4.5 7.5 10 13l5.5-5.5',
  pause: 'M7 4.5v11M13 4.5v11',
  play: 'M6 4.5l9 5.5-9 5.5z',
  trash: 'M4 5.5h12M8 5.5v-2h4v2M5.5 5.5l.7 11h7.6l.7-11M8.5 8.5v5M11.5 8.5v5',
  external: 'M11.5 3.5h5v5M16.5 3.5 9 11M8 4.5H3.5v12h12V12',
  clock: 'M10 17a7 7 0 1 0 0-14 7 7 0 0 0 0 14zM10 6v4l2.5 2.5',
  link: 'M8.5 11.5a3 3 0 0 0 4.3 0l3-3a3 3 0 0 0-4.3-4.3l-1 1M11.5 8.5a3 3 0 0 0-4.3 0l-3 3a3 3 0 0 0 4.3 4.3l1-1',
  out: 'M8.5 3.5h-4a1 1 0 0 0-1 1v11a1 1 0 0 0 1 1h4M8 10h9M13.5 6.5 17 10l-3.5 3.5',
  keyboard: 'M2.5 5.5h15v9h-15zM5.5 8.5h.01M8.5 8.5h.01M11.5 8.5h.01M14.5 8.5h.01M6.5 11.5h7',
} as const

export type IconName = keyof typeof drawings

/** Decoration: what it stands beside says the same in words. */
export function Icon({ name, size = 18 }: { name: IconName; size?: number }) {
  return (
    <svg
      width={size}
      height={size}
      viewBox="0 0 20 20"
      fill="none"
      stroke="currentColor"
      strokeWidth={name === 'more' ? 2.5 : 1.5}
      strokeLinecap="round"
      strokeLinejoin="round"
      aria-hidden="true"
      focusable="false"
    >
      <path d={drawings[name]} />
    </svg>
  )
}

/** The mark of Signet. */
export function Mark({ size = 28 }: { size?: number }) {
  return (
    <svg width={size} height={size} viewBox="0 0 32 32" aria-hidden="true" focusable="false">
      <rect width="32" height="32" rx="8" fill="#3a49c9" />
      <path
        d="M21.5 11.2c-1-1.8-3-2.7-5.4-2.7-3.2 0-5.5 1.6-5.5 4 0 5.4 11.3 2.3 11.3 7.3 0 2.3-2.4 3.7-5.7 3.7-2.7 0-4.9-1-5.9-3"
        fill="none"
        stroke="#fff"
        strokeWidth="2.6"
        strokeLinecap="round"
      />
    </svg>
  )
}
