const kept = 'mcpproxy.theme'
export type Theme = 'auto' | 'light' | 'dark'
export const theme = $state({ name: 'auto' as Theme })

function apply() {
  if (theme.name === 'auto') delete document.documentElement.dataset.theme
  else document.documentElement.dataset.theme = theme.name
}

export function startTheme() {
  const old = localStorage.getItem(kept)
  if (old === 'light' || old === 'dark') theme.name = old
  apply()
}

/** The next of: as the system, light, dark. */
export function nextTheme() {
  theme.name = theme.name === 'auto' ? 'light' : theme.name === 'light' ? 'dark' : 'auto'
  localStorage.setItem(kept, theme.name)
  apply()
}
