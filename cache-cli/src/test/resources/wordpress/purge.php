<?php
/*
 * A must-use plugin for tests: sends what plugins for WordPress send to caches (as "Proxy Cache Purge" does): a PURGE for
 * the URL of a post that changes, the front page, the feeds and the archives that list it.
 */
function forebay_test_purge(array $urls): void
{
    foreach (explode(',', getenv('FOREBAY')) as $edge) {
        foreach (array_unique($urls) as $url) {
            $parts = wp_parse_url($url);
            $path = ($parts['path'] ?? '/') . (isset($parts['query']) ? '?' . $parts['query'] : '');
            wp_remote_request("http://$edge$path", [
                'method' => 'PURGE',
                'headers' => ['host' => $edge, 'X-Purge-Method' => 'default'],
                'timeout' => 10,
            ]);
        }
    }
}

add_action('transition_post_status', function ($new, $old, $post) {
    if ($new !== 'publish' && $old !== 'publish') {
        return;
    }
    $urls = [home_url('/'), get_permalink($post), get_bloginfo_rss('rss2_url')];
    foreach (get_the_category($post->ID) as $category) {
        $urls[] = get_category_link($category);
    }
    // When all of the post is in the database, and before WordPress sends the response (shutdown, 1).
    add_action('shutdown', fn () => forebay_test_purge($urls), 0);
}, 10, 3);
