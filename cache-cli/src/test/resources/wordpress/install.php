<?php
// php install.php USER PASSWORD, in the directory of WordPress.
define('WP_INSTALLING', true);
require __DIR__ . '/wp-load.php';
require ABSPATH . 'wp-admin/includes/upgrade.php';
wp_install('Forebay test', $argv[1], $argv[1] . '@example.com', true, '', wp_slash($argv[2]));
update_option('permalink_structure', '/%postname%/');
